import { GyreError } from '@gyre/protocol';
import { type AnyFamily, type AnyInstance, taskOf } from '@gyre/tasks';
import type { Reset } from './wire.js';

export interface ChosenTask {
  readonly instance: AnyInstance;
  readonly family: AnyFamily;
}

/**
 * @throws GyreError `bad_input` for an invalid task, a family that is not served, or a held-out family in the train
 * split.
 */
export function chooseTask(request: Reset, families: readonly AnyFamily[], draw: () => number): ChosenTask {
  const instance = typeof request.task === 'string' ? taskOf(request.task) : drawTask(request, families, draw);
  const { family: name, split } = instance.task;
  const family = familyNamed(name, families);
  if (family.heldOut && split === 'train') {
    throw new GyreError('bad_input', `${name} is held out`, {
      field: 'split',
      fix: 'use the split test',
    });
  }
  return { instance, family };
}

function drawTask(request: Reset, families: readonly AnyFamily[], draw: () => number): AnyInstance {
  const { seed = null, split = null, size = null } = request;
  const number = seed ?? draw();
  const create = (family: AnyFamily, of: number) => family.create(split ?? 'train', of, size ?? undefined);
  if (typeof request.family === 'string') return create(familyNamed(request.family, families), number);
  const free = families.filter(({ heldOut }) => !heldOut || (split ?? 'train') !== 'train');
  const family = free[number % free.length];
  if (!family) {
    throw new GyreError('bad_input', 'all families are held out', {
      field: 'split',
      fix: 'use the split test',
    });
  }
  // Difficulties cycle with the seed, so a family must not get only every Nth seed.
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
    fix: 'GET /metadata lists the served families',
  });
}
