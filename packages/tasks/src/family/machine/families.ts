import { desktopFamilies } from '../../desktop/families.js';
import { hybridFamilies } from '../../hybrid/families.js';
import type { TaskFamily } from '../family.js';
import type { MachineInstance } from './setUp.js';

/** Built-in machine families, by name. */
export const machineFamilies: Readonly<Record<string, TaskFamily<MachineInstance>>> = {
  ...desktopFamilies,
  ...hybridFamilies,
};
