/** Affects lists and pickers only: it applies once one is used. */
const style =
  'select, ::picker(select) { appearance: base-select !important } ' +
  'input::-webkit-calendar-picker-indicator { display: none !important }';

export function pickerStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}
