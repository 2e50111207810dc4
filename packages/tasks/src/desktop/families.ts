import type { TaskFamily } from '../family/family.js';
import type { MachineInstance } from '../family/machine/setUp.js';
import type { Template } from '../family/machine/template.js';
import { templated } from '../family/machine/templated.js';
import { cellTemplates } from './calcCells.js';
import { sheetTemplates } from './calcSheets.js';
import { settingTemplates } from './editorSettings.js';
import { textTemplates } from './editorTexts.js';
import { managerTemplates } from './fileManager.js';
import { terminalTemplates } from './terminal.js';
import { windowTemplates } from './windowTemplates.js';

export const desktopTemplates: readonly Template[] = [
  ...cellTemplates,
  ...sheetTemplates,
  ...textTemplates,
  ...settingTemplates,
  ...managerTemplates,
  ...terminalTemplates,
  ...windowTemplates,
];

export const desktopFamilies: Readonly<Record<string, TaskFamily<MachineInstance>>> = Object.fromEntries(
  desktopTemplates.map((template) => [template.name, templated(template)]),
);
