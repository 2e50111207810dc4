import { click } from '../basics/click.js';
import type { TaskFamily } from './family.js';
import { form } from '../basics/form.js';
import { maze } from '../basics/maze.js';
import { vault } from '../basics/vault.js';

/** The families that need a screen of 160 x 160 px only, by name. Those of single widgets are `widgetFamilies`, those on machines `machineFamilies`. */
export const families: Readonly<Record<'click' | 'form' | 'maze' | 'vault', TaskFamily>> = { click, form, maze, vault };
