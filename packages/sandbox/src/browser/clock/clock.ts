import { pageProgram } from '../pageProgram.js';

const framesPerSecond = 60;

/** A frame of game time, as pages see it. */
export const frameMs = 1000 / framesPerSecond;

/**
 * A frame of compositor time, which CSS animations follow. A multiple of Chromium's 0.1 ms resolution, and 0.2 % longer
 * than `frameMs`: frames miss the round times at which animations end or `steps()` jump.
 */
export const tickMs = 16.7;

/** `Date.now()` at game time 0: 2026-01-01T00:00:00Z. */
const epoch = 1_767_225_600_000;

export function framesIn(ms: number, min = 0): number {
  return Math.max(min, Math.round(ms / frameMs));
}

/** Binding by which documents report uncontrolled uses. */
export const usesBinding = '__gyreTold';

/** APIs with the browser's own time or randomness, which may make replays differ. */
export const uncontrolledUses = [
  ...(['workers', 'worklets', 'sockets', 'media', 'asymmetric keys', 'names of blobs', 'Atomics.waitAsync'] as const),
];

const clockFile = new URL('./page/clock.page.bundle', import.meta.url);

/**
 * Returns a script that controls a world's time and randomness: Date, Temporal, Intl, performance, timers, animation
 * frames, idle callbacks, `scheduler`, `AbortSignal.timeout`, event and file timestamps, cookie expiry, Math.random and
 * crypto.
 *
 * Time advances only with drawn frames, counted by native timestamps. For each frame, due timers run in order, then
 * animation frame callbacks, each followed by microtasks. Within a task, time moves only after a thousand reads, so
 * that busy-waiting ends.
 *
 * @param seed an expression evaluated where the script runs.
 * @param world `isolated` controls only what verifiers use.
 */
export function clockScript(seed: string, world: 'page' | 'isolated'): string {
  const terms = { epoch, framesPerSecond, tickMs, usesBinding: world === 'page' ? usesBinding : null };
  return `(${pageProgram(clockFile)})({ seed: (${seed}) >>> 0, ...${JSON.stringify(terms)} });`;
}
