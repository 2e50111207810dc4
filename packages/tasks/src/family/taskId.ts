import { GyreError, Split } from '@gyre/protocol';
import type { AnyInstance } from './family.js';
import { familyOf } from './suites.js';

/** Tells a task id (`click/test/7`) from an instruction, which has spaces. */
export const isTaskId = (text: string): boolean => /^\S+\/\S*$/.test(text);

/**
 * Returns the task of an id such as `click/test/7`, or `menu/test/7/640x480` of a family with several screen sizes.
 *
 * @throws GyreError `bad_input` if the id is malformed.
 */
export function taskOf(id: string): AnyInstance {
  const [family = '', split = '', seed = '', sides, ...more] = id.split('/');
  const parsedSplit = Split.safeParse(split);
  const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(sides ?? '') ?? [];
  const misread = (sides !== undefined && width === undefined) || more.length > 0 || !/^\d{1,9}$/.test(seed);
  if (misread || !parsedSplit.success) {
    throw new GyreError('bad_input', `"${id}" is not a task id`, {
      field: 'task',
      fix: `use FAMILY/SPLIT/SEED, such as click/test/7, with a family from \`gyre tasks list\` and a split of ${Split.options.join(', ')}`,
    });
  }
  const size = width === undefined ? undefined : { width: Number(width), height: Number(height) };
  return familyOf(family).create(parsedSplit.data, Number(seed), size);
}
