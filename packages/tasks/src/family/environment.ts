import { type Environment, GyreError, type Task } from '@gyre/protocol';
import { type Machines, type Session, SessionEnvironment, type Verifier } from '@gyre/sandbox';
import type { ReadingNoise } from '../reading/noise.js';
import { pageReader } from '../reading/pageReader.js';
import { targetsOf } from '../reading/targets.js';
import type { AnyFamily, AnyInstance, TaskInstance } from './family.js';
import { startTask } from './run.js';
import { familyOf } from './suites.js';

/** Data that an environment derives from the page, for training only: no evaluation may offer them. */
export interface PageAids {
  /** Adds to every observation what a reader would see of it. */
  readonly reading?: 'simulated' | undefined;
  /** Overrides `ownNoise`. */
  readonly noise?: Partial<ReadingNoise> | undefined;
  /** Seed of the reader's errors. Default: the task's. */
  readonly noiseSeed?: number | undefined;
  /** Adds to every step the boxes of the elements that its actions hit. */
  readonly targets?: boolean | undefined;
}

/**
 * Opens a task as an environment. Leases nothing until `reset`.
 *
 * @param family default: looked up by name in all suites.
 * @param aids for page tasks of the train split only
 * @throws GyreError `bad_input` for an unknown family, or for aids to any other task.
 */
export function openTask(
  instance: AnyInstance,
  machines: Machines,
  family: AnyFamily = familyOf(instance.task.family),
  aids: PageAids = {},
): Environment {
  const { task } = instance;
  const { reading, noise, noiseSeed = task.seed, targets } = aids;
  if (reading !== undefined || targets === true) checkAided(task, family);
  if (family.open) return family.open(instance, machines);
  const setUp = (session: Session) => setUpTask(session, instance, family);
  return new SessionEnvironment({
    ...{ task, machines, machine: family.kind, setUp },
    read: reading && pageReader(noiseSeed, noise),
    locate: targets ? targetsOf : undefined,
  });
}

function checkAided({ split }: Task, family: AnyFamily): void {
  if (family.kind !== undefined || family.open) {
    throw new GyreError('bad_input', `the tasks of ${family.name} have no page to derive a reading or targets from`, {
      field: 'aids',
      fix: 'use a family of pages, or a reader of screenshots',
    });
  }
  if (split === 'train') return;
  throw new GyreError('bad_input', `tasks of the ${split} split have neither simulated readings nor targets`, {
    field: 'aids',
    fix: 'use the train split, or a reader of screenshots',
  });
}

/** Sets a session up for a task. Throws `bad_input` without a defined set-up. */
export async function setUpTask(session: Session, instance: AnyInstance, family: AnyFamily): Promise<Verifier> {
  if (family.start) return family.start(session, instance);
  if ('page' in instance) return startTask(session, instance as TaskInstance);
  throw new GyreError('bad_input', `the family ${family.name} does not define how to set up its tasks`, {
    field: 'start',
    fix: 'return a page from `create`, or define the method `start`',
  });
}
