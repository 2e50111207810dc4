import { pickerStyle } from './pickerStyle.js';

/**
 * Prevents native popups (`select` lists, date and color pickers): with time stopped nobody draws their frames, and the
 * page would hang. A `select` opens within the page instead; pickers stay closed, and values are typed.
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
    // Must hide the picker button before the click.
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
