import { totalmem } from 'node:os';

/** The share of the host that sessions may take together: the rest is for this process and the system. */
export const sessionsShare = 0.9;

/** Returns the bytes of memory that there are for this process and what it starts: a container may have less than its host. */
export function hostMemory(): number {
  const bound = process.constrainedMemory();
  return bound > 0 && bound < totalmem() ? bound : totalmem();
}
