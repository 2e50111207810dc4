import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';

/** `wait` without a time, in s. */
const defaultWait = 5;

/** Waits so many seconds. Throws `infra` where `over` is aborted before: what is waited with has gone. */
export async function rest(seconds = defaultWait, over: AbortSignal): Promise<void> {
  try {
    await pause(seconds * 1_000, undefined, { signal: over });
  } catch (cause) {
    throw new GyreError('infra', 'the connection ended during the wait', {
      part: 'network',
      fix: 'connect again',
      cause,
    });
  }
}
