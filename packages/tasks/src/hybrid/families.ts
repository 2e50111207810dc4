import type { TaskFamily } from '../family/family.js';
import type { MachineInstance } from '../family/machine/setUp.js';
import type { Template } from '../family/machine/template.js';
import { templated } from '../family/machine/templated.js';
import { downloadTemplates } from './downloads.js';
import { logTemplates } from './logs.js';
import { officeTemplates } from './office.js';
import { orderTemplates } from './orders.js';
import { vault } from '../basics/vault.js';
import { readAndType } from '../widgets/text/readAndType.js';
import { shortcut } from '../widgets/keys/shortcut.js';
import { repositoryTemplates } from './repository.js';
import { withShell } from './withShell.js';

export const hybridTemplates: readonly Template[] = [
  ...downloadTemplates,
  ...logTemplates,
  ...orderTemplates,
  ...repositoryTemplates,
  ...officeTemplates,
];

/** Tasks that need both the screen and the shell of one session. */
export const hybridFamilies: Readonly<Record<string, TaskFamily<MachineInstance>>> = Object.fromEntries(
  [...hybridTemplates.map(templated), ...[readAndType, shortcut, vault].map(withShell)].map((family) => [
    family.name,
    family,
  ]),
);
