import { Action, GyreError } from '@gyre/protocol';
import type { CallListener } from '../lease/lease.js';
import type { SessionLog } from './sessionLog.js';
import { Job } from '../shell/job.js';
import { Terminal } from '../shell/terminal.js';

const looks = new Set(['observe', 'pixels', 'screenshot', 'frames', 'notices']);

/** Logs calls, failures and program exits. Arguments may be secret and are not logged. */
export function callLog(log: SessionLog, surface: string): CallListener {
  return (method, args, result) => {
    const call = nameOf(surface, method, args);
    if (!looks.has(method)) log.add('action', call);
    if (!(result instanceof Promise)) return;
    result.then(
      (value: unknown) => logEnd(log, call, value),
      (error: unknown) => log.add('error', `${call}: ${describe(error)}`),
    );
  };
}

/** Returns `click`, `shell.run`, `desktop.launch`. */
function nameOf(surface: string, method: string, args: readonly unknown[]): string {
  if (surface !== 'screen' || method !== 'act') return `${surface}.${method}`;
  const action = Action.safeParse(args[0]);
  return action.success ? action.data.type : 'an invalid action';
}

/** Omits `bad_input` messages, which may repeat an argument. */
function describe(error: unknown): string {
  if (!(error instanceof GyreError)) return error instanceof Error ? error.name : 'failed';
  const { code, message, detail } = error;
  return code === 'bad_input'
    ? `${code}${detail.field === undefined ? '' : ` (${detail.field})`}`
    : `${code}, ${message}`;
}

function logEnd(log: SessionLog, call: string, value: unknown): void {
  if (value instanceof Job) {
    void value.wait().then((ending) => log.add('process', `${value.id} ${endingOf(ending)}`));
  } else if (value instanceof Terminal) {
    void value.ended.then((ending) => log.add('process', `${value.id} ${endingOf(ending)}`));
  } else if (isProgram(value)) {
    void value.ended.then((status) =>
      log.add('process', `${call} ${endingOf(status === null ? undefined : { exitCode: status })}`),
    );
  } else if (isRun(value)) {
    log.add('process', `${call} ${endingOf(value)}${value.timedOut ? ', after its time limit' : ''}`);
  }
}

function endingOf({ exitCode, signal }: { exitCode?: number; signal?: string } = {}): string {
  return exitCode === undefined ? `ended by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`;
}

function isProgram(value: unknown): value is { ended: Promise<number | null> } {
  return typeof value === 'object' && value !== null && 'pid' in value && 'ended' in value;
}

function isRun(value: unknown): value is { exitCode?: number; signal?: string; timedOut: boolean } {
  return typeof value === 'object' && value !== null && 'timedOut' in value;
}
