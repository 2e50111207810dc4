import { GyreError } from '@gyre/protocol';

/** A browser or a machine that runs for this process. */
export interface Ending {
  /** Ends it and removes what it has left. May be called twice. */
  end(): void | Promise<void>;
  /** The same as far as it can be done without waiting, for the moment in which this process ends. */
  endNow?(): void;
}

const running = new Set<Ending>();
let over = false;

/** Notes what is to be ended with this process. Returns what forgets it. Throws 'infra' after `endMachines`. */
export function endWithProcess(ending: Ending): () => void {
  if (over) throw new GyreError('infra', 'gyre is being ended, and starts nothing any more', { part: 'machine' });
  if (running.size === 0) process.on('exit', endMachinesNow);
  running.add(ending);
  return () => {
    running.delete(ending);
    if (running.size === 0) process.off('exit', endMachinesNow);
  };
}

/**
 * Ends every browser and machine of this process, also those that are being started, and lets none start after that: whoever waits for
 * one is told so. For a process that is to end soon, whatever it is doing.
 */
export async function endMachines(): Promise<void> {
  over = true;
  await Promise.allSettled([...running].map(async (ending) => ending.end()));
}

/** The same as far as it can be done without waiting. */
export function endMachinesNow(): void {
  for (const ending of running) ending.endNow?.();
}
