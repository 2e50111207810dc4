import { GyreError } from '@gyre/protocol';
import type { Session } from '@gyre/sandbox';
import type { TaskInstance } from './family.js';
import { machineFamilies } from './machine/families.js';
import type { MachineInstance, MachineRun } from './machine/machineFamily.js';
import { type TaskRun, openTask } from './taskRun.js';

/**
 * Starts a task in a session: opens its page, or sets the machine up. `sessionKindOf` says what kind of session a family needs.
 * Throws what the session throws (`infra`), and `bad_input` where it is of another kind.
 */
export function startTask(session: Session, instance: TaskInstance): Promise<TaskRun>;
export function startTask(session: Session, instance: MachineInstance): Promise<MachineRun>;
export function startTask(session: Session, instance: TaskInstance | MachineInstance): Promise<TaskRun | MachineRun>;
export function startTask(session: Session, instance: TaskInstance | MachineInstance): Promise<TaskRun | MachineRun> {
  return 'setup' in instance ? startOnMachine(session, instance) : openTask(session, instance);
}

async function startOnMachine(session: Session, instance: MachineInstance): Promise<MachineRun> {
  const family = machineFamilies[instance.task.family];
  if (family) return family.start(session, instance);
  throw new GyreError('bad_input', `"${instance.task.family}" is no family of tasks on machines`, {
    field: 'task.family',
    fix: 'take the instance from a family of machineFamilies',
  });
}
