import { GyreError } from '@gyre/protocol';
import { click } from './click.js';
import type { TaskFamily } from './family.js';
import { form } from './form.js';
import { maze } from './maze.js';

/** Every family, by name. */
export const families: Readonly<Record<'click' | 'form' | 'maze', TaskFamily>> = { click, form, maze };

/** The family of a name. Throws `bad_input` for a name that is none. */
export function familyOf(name: string): TaskFamily {
  const family = Object.values(families).find((candidate) => candidate.name === name);
  if (family) return family;
  const known = Object.keys(families).join(', ');
  throw new GyreError('bad_input', `there is no task family "${name}"`, {
    field: 'family',
    fix: `use one of: ${known}`,
  });
}
