import { pickerStyle } from './pickerStyle.js';

/**
 * Keeps the browser from opening windows of its own: the list of a `select`, the picker of a date or colour. Nobody draws their frames where
 * time stands still, and the page would wait for ever. A `select` drops its list down within the page instead, from when it is first used; a
 * picker does not open, and its value is typed. Runs in the isolated world.
 */
export default function keepInPage(): void {
  const sheet = pickerStyle();
  const adopt = (element: Element): CSSStyleDeclaration => {
    const root = element.getRootNode() as Document | ShadowRoot;
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return getComputedStyle(element);
  };
  const onUse = (event: Event): void => {
    const [element] = event.composedPath();
    if (isList(element) && adopt(element).appearance !== 'base-select') event.preventDefault();
    if (!isPicker(element)) return;
    // Before the click: what opens the picker must be gone by then.
    adopt(element);
    if (event.type === 'click' || (event instanceof KeyboardEvent && opensByKey(event))) event.preventDefault();
  };
  for (const type of ['mousedown', 'click', 'keydown']) window.addEventListener(type, onUse, { capture: true });
}

function isList(element: unknown): element is HTMLSelectElement {
  return element instanceof HTMLSelectElement && !element.multiple && element.size <= 1;
}

function isPicker(element: unknown): element is HTMLInputElement {
  const types = /^(date|month|week|time|datetime-local|color)$/;
  return element instanceof HTMLInputElement && types.test(element.type);
}

function opensByKey({ key, altKey }: KeyboardEvent): boolean {
  return key === ' ' || key === 'F4' || (altKey && (key === 'ArrowDown' || key === 'ArrowUp'));
}
