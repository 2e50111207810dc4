import { accordion } from './panels/accordion.js';
import { colourPicker } from './values/colourPicker.js';
import { contextMenu } from './menus/contextMenu.js';
import { copyPaste } from './text/copyPaste.js';
import { datePicker } from './values/datePicker.js';
import { dialog } from './panels/dialog.js';
import { dragDrop } from './lists/dragDrop.js';
import { dropdown } from './menus/dropdown.js';
import { hover } from './menus/hover.js';
import { keyboardNav } from './keys/keyboardNav.js';
import { list } from './lists/list.js';
import { menu } from './menus/menu.js';
import { multiField } from './text/multiField.js';
import { pagination } from './panels/pagination.js';
import { readAndType } from './text/readAndType.js';
import { reorder } from './lists/reorder.js';
import { search } from './text/search.js';
import { shortcut } from './keys/shortcut.js';
import { slider } from './values/slider.js';
import { stepper } from './values/stepper.js';
import { survey } from './values/survey.js';
import { table } from './lists/table.js';
import { tabs } from './panels/tabs.js';
import { textSelect } from './text/textSelect.js';
import { toggle } from './values/toggle.js';
import { tree } from './panels/tree.js';
import type { WidgetFamily } from './widgetFamily.js';

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

export const widgetWords: readonly string[] = [
  ...new Set(
    Object.values<WidgetFamily>(widgetFamilies)
      .flatMap(({ templates }) => Object.values(templates).flat())
      .flatMap((template) => template.replace(/\{\w+\}/g, ' ').match(/[a-z]+/g) ?? []),
  ),
].sort();
