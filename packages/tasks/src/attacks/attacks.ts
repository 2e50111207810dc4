import type { Attack } from './attack.js';
import { desktopAttacks } from './desktops.js';
import { fileAttacks } from './files.js';
import { policyAttacks } from './policies.js';
import { processAttacks } from './processes.js';
import { pageServerAttacks, screenAttacks } from './screens.js';

export const attacks: readonly Attack[] = [
  ...screenAttacks,
  ...policyAttacks,
  ...pageServerAttacks,
  ...processAttacks,
  ...fileAttacks,
  ...desktopAttacks,
];
