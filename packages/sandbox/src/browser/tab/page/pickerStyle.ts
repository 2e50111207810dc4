/** Of lists and of what opens a picker; not of others, since it is set when one of them is used. */
const style =
  'select, ::picker(select) { appearance: base-select !important } ' +
  'input::-webkit-calendar-picker-indicator { display: none !important }';

export function pickerStyle(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}
