import { GyreError } from '@gyre/protocol';

export interface ProcessResource {
  /** May be called twice. */
  end(): void | Promise<void>;
  /** Ends it synchronously, for process exit. */
  endNow?(): void;
}

const running = new Set<ProcessResource>();
let over = false;

/** Ends something with this process; returns the function that unregisters it. Throws 'infra' after `endMachines`. */
export function endWithProcess(ending: ProcessResource): () => void {
  if (over) throw new GyreError('infra', 'gyre is shutting down', { part: 'machine' });
  if (running.size === 0) process.on('exit', endMachinesNow);
  running.add(ending);
  return () => {
    running.delete(ending);
    if (running.size === 0) process.off('exit', endMachinesNow);
  };
}

/**
 * Ends all browsers and machines of this process, starting ones included, and refuses new ones. Call it before exit.
 */
export async function endMachines(): Promise<void> {
  over = true;
  await Promise.allSettled([...running].map(async (ending) => ending.end()));
}

/** Does what is possible synchronously. */
export function endMachinesNow(): void {
  for (const ending of running) ending.endNow?.();
}
