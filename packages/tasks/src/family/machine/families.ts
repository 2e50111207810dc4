import { desktopFamilies } from '../../desktop/families.js';
import { hybridFamilies } from '../../hybrid/families.js';
import type { MachineFamily } from './machineFamily.js';

/** All families that are played on machines of their own, by name. */
export const machineFamilies: Readonly<Record<string, MachineFamily>> = { ...desktopFamilies, ...hybridFamilies };

/**
 * What kind of session a family's tasks are played in: a `page` of a `BrowserPool`, which may be kept from one episode to the next,
 * or a fresh machine of a `Sandbox`, a `browser` or a `desktop`.
 */
export function sessionKindOf(family: string): 'page' | MachineFamily['kind'] {
  return machineFamilies[family]?.kind ?? 'page';
}
