import { accordion } from './accordion.js';
import { colourPicker } from './colourPicker.js';
import { contextMenu } from './contextMenu.js';
import { copyPaste } from './copyPaste.js';
import { datePicker } from './datePicker.js';
import { dialog } from './dialog.js';
import { dragDrop } from './dragDrop.js';
import { dropdown } from './dropdown.js';
import { hover } from './hover.js';
import { keyboardNav } from './keyboardNav.js';
import { list } from './list.js';
import { menu } from './menu.js';
import { multiField } from './multiField.js';
import { pagination } from './pagination.js';
import { readAndType } from './readAndType.js';
import { reorder } from './reorder.js';
import { search } from './search.js';
import { shortcut } from './shortcut.js';
import { slider } from './slider.js';
import { stepper } from './stepper.js';
import { survey } from './survey.js';
import { table } from './table.js';
import { tabs } from './tabs.js';
import { textSelect } from './textSelect.js';
import { toggle } from './toggle.js';
import { tree } from './tree.js';
import type { WidgetFamily } from './widgetFamily.js';

/** Every family of a widget, by name. */
export const widgetFamilies = {
  menu,
  contextMenu,
  tabs,
  list,
  slider,
  dropdown,
  dialog,
  table,
  datePicker,
  dragDrop,
  textSelect,
  copyPaste,
  shortcut,
  tree,
  accordion,
  stepper,
  toggle,
  survey,
  search,
  pagination,
  multiField,
  readAndType,
  reorder,
  colourPicker,
  keyboardNav,
  hover,
} satisfies Record<string, WidgetFamily>;

/** Every word that an instruction of these families may have outside double quotes, sorted. */
export const widgetWords: readonly string[] = [
  ...new Set(
    Object.values<WidgetFamily>(widgetFamilies)
      .flatMap(({ templates }) => Object.values(templates).flat())
      .flatMap((template) => template.replace(/\{\w+\}/g, ' ').match(/[a-z]+/g) ?? []),
  ),
].sort();
