/** Styles lists and pickers only, because it applies from the first use of one. */
const style =
  'select, ::picker(select) { appearance: base-select !important } ' +
  'input::-webkit-calendar-picker-indicator { display: none !important }';

export function pickerStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}
