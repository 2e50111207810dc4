import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';

/** Waits; throws `infra` if `over` aborts: the machine is gone. */
export async function waitUnlessAborted(ms: number, over: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: over });
  } catch (cause) {
    throw new GyreError('infra', 'the connection ended during the wait', {
      part: 'network',
      fix: 'connect again',
      cause,
    });
  }
}
