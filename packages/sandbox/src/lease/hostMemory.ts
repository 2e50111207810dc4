import { totalmem } from 'node:os';

export const sessionsShare = 0.9;

/** Returns the bytes; a container may have less than its host. */
export function hostMemory(): number {
  const bound = process.constrainedMemory();
  return bound > 0 && bound < totalmem() ? bound : totalmem();
}
