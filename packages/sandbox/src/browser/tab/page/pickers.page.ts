import { pickerStyle } from './pickerStyle.js';

/**
 * Keeps the page's own scripts from opening windows of the browser, and closed shadow roots, which only the page's world knows. Runs in the
 * page's world; see `popups.page.ts`.
 */
export default function keepPickersClosed(): void {
  const sheet = pickerStyle();
  const prototype: { attachShadow: (options: ShadowRootInit) => ShadowRoot } = Element.prototype;
  const { attachShadow } = prototype;
  prototype.attachShadow = function (this: Element, options) {
    const root = attachShadow.call(this, options);
    if (root.mode === 'closed') root.adoptedStyleSheets = [sheet];
    return root;
  };
  const input: { showPicker: () => void } = HTMLInputElement.prototype;
  input.showPicker = function () {};
  const select: { showPicker?: () => void } = HTMLSelectElement.prototype;
  const { showPicker } = select;
  if (showPicker === undefined) return;
  select.showPicker = function (this: HTMLSelectElement) {
    if (getComputedStyle(this).appearance === 'base-select') showPicker.call(this);
  };
}
