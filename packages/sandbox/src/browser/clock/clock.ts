import { pageProgram } from '../pageProgram.js';

export const framesPerSecond = 60;

/** Game time of a frame, as pages see it. */
export const frameMs = 1000 / framesPerSecond;

/**
 * Compositor time of a frame, which CSS animations follow; 0.2 % longer than `frameMs`. A multiple of the 0.1 ms to
 * which Chromium rounds animation time. Frames miss the round times at which animations end or `steps()` jump, so that
 * rounding decides nothing.
 */
export const tickMs = 16.7;

/** 2026-01-01T00:00:00Z, `Date.now()` at game time 0. */
export const epoch = 1_767_225_600_000;

/** Converts ms to whole frames. */
export function framesIn(ms: number, least = 0): number {
  return Math.max(least, Math.round(ms / frameMs));
}

/** Binding through which documents report uncontrolled uses. */
export const toldBy = '__gyreTold';

/** APIs with the browser's own time or randomness. Episodes of pages that use them may not replay identically. */
export const uncontrolledUses = [
  ...(['workers', 'worklets', 'sockets', 'media', 'asymmetric keys', 'names of blobs', 'Atomics.waitAsync'] as const),
];

const clockFile = new URL('./page/clock.page.bundle', import.meta.url);

/**
 * Returns a script that gives a world its own time and randomness: Date, Temporal, Intl, performance, timers, animation
 * frames, idle callbacks, `scheduler`, `AbortSignal.timeout`, event and file timestamps, cookie expiry, Math.random and
 * crypto.
 *
 * Time advances only with drawn frames, counted by the native animation frame's timestamp. For each frame, due timers
 * run in order, then animation frame callbacks, each followed by microtasks. Within a task, time moves only after a
 * thousand reads, so that busy-waiting ends.
 *
 * Workers, worklets, media, sockets, asymmetric keys and blob names stay uncontrolled, and are reported through
 * `toldBy`.
 *
 * @param seed an expression evaluated where the script runs.
 * @param world `isolated` controls only what verifiers use: Date, performance, timers, animation frames and randomness.
 */
export function clockScript(seed: string, world: 'page' | 'isolated'): string {
  const terms = { epoch, framesPerSecond, tickMs, toldBy: world === 'page' ? toldBy : null };
  return `(${pageProgram(clockFile)})({ seed: (${seed}) >>> 0, ...${JSON.stringify(terms)} });`;
}
