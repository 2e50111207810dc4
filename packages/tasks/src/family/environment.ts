import { GyreError, type Environment } from '@gyre/protocol';
import { type Machines, type Session, SessionEnvironment, type Verifier } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, TaskInstance } from './family.js';
import { startTask } from './run.js';
import { familyOf } from './suites.js';

/**
 * Opens a task as an environment. Leases nothing until `reset`.
 *
 * @param family default: looked up by name in all suites.
 * @throws GyreError `bad_input` for an unknown family.
 */
export function openTask(
  instance: AnyInstance,
  machines: Machines,
  family: AnyFamily = familyOf(instance.task.family),
): Environment {
  const setUp = (session: Session) => setUpTask(session, instance, family);
  return new SessionEnvironment({ task: instance.task, machines, machine: family.kind, setUp });
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
