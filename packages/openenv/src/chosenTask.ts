import { GyreError } from '@gyre/protocol';
import { type AnyFamily, type AnyInstance, taskOf } from '@gyre/tasks';
import type { Reset } from './wire.js';

/** A task and the family that drew it. */
export interface ChosenTask {
  readonly instance: AnyInstance;
  readonly family: AnyFamily;
}

/**
 * Returns the task that a client asks for.
 *
 * @param draw draws a seed where the client names none.
 * @throws GyreError `bad_input` for a task that is none, of a family that is not served, or of one for measuring only in the train split.
 */
export function chosenTask(wanted: Reset, families: readonly AnyFamily[], draw: () => number): ChosenTask {
  const instance = typeof wanted.task === 'string' ? taskOf(wanted.task) : drawn(wanted, families, draw);
  const { family: name, split } = instance.task;
  const family = familyNamed(name, families);
  if (family.heldOut && split === 'train') {
    throw new GyreError('bad_input', `${name} is held out`, {
      field: 'split',
      fix: 'ask for the split test',
    });
  }
  return { instance, family };
}

function drawn(wanted: Reset, families: readonly AnyFamily[], draw: () => number): AnyInstance {
  const { seed = null, split = null, size = null } = wanted;
  const number = seed ?? draw();
  const create = (family: AnyFamily, of: number) => family.create(split ?? 'train', of, size ?? undefined);
  if (typeof wanted.family === 'string') return create(familyNamed(wanted.family, families), number);
  const free = families.filter(({ heldOut }) => !heldOut || (split ?? 'train') !== 'train');
  const family = free[number % free.length];
  if (!family) {
    throw new GyreError('bad_input', 'all families are held out', {
      field: 'split',
      fix: 'ask for the split test',
    });
  }
  // Difficulties go from seed to seed: a family must not get every third alone.
  return create(family, Math.floor(number / free.length));
}

function familyNamed(name: string, families: readonly AnyFamily[]): AnyFamily {
  const family = families.find((served) => served.name === name);
  if (family) return family;
  throw notServed(name);
}

function notServed(name: string): GyreError {
  return new GyreError('bad_input', `the family "${name}" is not served`, {
    field: 'family',
    fix: 'GET /metadata lists those that are',
  });
}
