import { pickerStyle } from './pickerStyle.js';

/** Covers `showPicker()` and closed shadow roots, which are out of reach of `popups.page.ts`. */
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
