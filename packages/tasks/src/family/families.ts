import { click } from '../basics/click.js';
import type { TaskFamily } from './family.js';
import { form } from '../basics/form.js';
import { maze } from '../basics/maze.js';
import { vault } from '../basics/vault.js';

/** Families for 160 x 160 px screens; see also `widgetFamilies` and `machineFamilies`. */
export const families: Readonly<Record<'click' | 'form' | 'maze' | 'vault', TaskFamily>> = { click, form, maze, vault };
