/** Of lists and of what opens a picker; not of others, since it is set when one of them is used. */
const style =
  'select, ::picker(select) { appearance: base-select !important } ' +
  'input::-webkit-calendar-picker-indicator { display: none !important }';

/**
 * Source of a script for the isolated world that keeps the browser from opening windows of its own: the list of a `select`, the picker
 * of a date or colour. Their frames are nobody's to draw where time stands still, and the page would wait for them for ever. A `select`
 * drops its list down within the page instead, from when it is first used; what else would open does not, and is typed.
 */
export const popupScript = String.raw`(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('${style}');
  const isList = (element) => element instanceof HTMLSelectElement && !element.multiple && element.size <= 1;
  const isPicker = (element) =>
    element instanceof HTMLInputElement && /^(date|month|week|time|datetime-local|color)$/.test(element.type);
  const adopt = (element) => {
    const root = element.getRootNode();
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return getComputedStyle(element);
  };
  const opensByKey = ({ key, altKey }) =>
    key === ' ' || key === 'F4' || (altKey && (key === 'ArrowDown' || key === 'ArrowUp'));
  const onUse = (event) => {
    const [element] = event.composedPath();
    if (isList(element) && adopt(element).appearance !== 'base-select') event.preventDefault();
    if (!isPicker(element)) return;
    // Before the click: what opens the picker must be gone by then.
    adopt(element);
    if (event.type === 'click' || (event.type === 'keydown' && opensByKey(event))) event.preventDefault();
  };
  for (const type of ['mousedown', 'click', 'keydown']) window.addEventListener(type, onUse, { capture: true });
})();`;

/** The same for what the page's own scripts open, and for closed shadow roots, of which only the page's world knows. */
export const pickerScript = String.raw`(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('${style}');
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    if (root.mode === 'closed') root.adoptedStyleSheets = [sheet];
    return root;
  };
  const { showPicker } = HTMLSelectElement.prototype;
  HTMLInputElement.prototype.showPicker = function () {};
  if (showPicker) HTMLSelectElement.prototype.showPicker = function () {
    if (getComputedStyle(this).appearance === 'base-select') showPicker.call(this);
  };
})();`;
