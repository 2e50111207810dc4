import { desktopFamilies } from '../../desktop/families.js';
import { hybridFamilies } from '../../hybrid/families.js';
import type { TaskFamily } from '../family.js';
import type { MachineInstance } from './setUp.js';

/** gyre's families that are played on machines, by name. */
export const machineFamilies: Readonly<Record<string, TaskFamily<MachineInstance>>> = {
  ...desktopFamilies,
  ...hybridFamilies,
};
