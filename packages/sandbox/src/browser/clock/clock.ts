import { pageProgram } from '../pageProgram.js';

/** Frames of game time per second. */
export const framesPerSecond = 60;

/** One frame of game time in ms, as pages see it. */
export const frameMs = 1000 / framesPerSecond;

/**
 * One frame in ms of the compositor's time, which CSS animations follow: 0.2 % longer than `frameMs`. It is a multiple of
 * the 0.1 ms that Chromium rounds animation time to, and frames do not fall on the round times where animations end or
 * `steps()` have their edges, so that rounding decides nothing.
 */
export const tickMs = 16.7;

/** 2026-01-01T00:00:00Z: what `Date.now()` says at game time 0, in ms. */
export const epoch = 1_767_225_600_000;

/** Whole frames in a time in ms, at least `least`. */
export function framesIn(ms: number, least = 0): number {
  return Math.max(least, Math.round(ms / frameMs));
}

/** The binding by which a document tells what it uses that keeps the browser's own time or randomness. */
export const toldBy = '__gyreTold';

/** What keeps the browser's own time or randomness: frames of an episode whose page uses it may differ when it is played again. */
export const uncontrolledUses = [
  ...(['workers', 'worklets', 'sockets', 'media', 'asymmetric keys', 'names of blobs', 'Atomics.waitAsync'] as const),
];

const clockFile = new URL('./page/clock.page.bundle', import.meta.url);

/**
 * Returns the source of a script that gives a world its own time and randomness: Date, Temporal, Intl, performance, timers, animation frames,
 * idle callbacks, `scheduler`, `AbortSignal.timeout`, timestamps of events and files, expiry of cookies, Math.random and crypto.
 *
 * Time stands still but for the frames that the session draws: the native animation frame's timestamp tells how many have passed. For each,
 * due timers run in order, then the page's animation frame callbacks, and microtasks run dry after each. Time moves within a task only once
 * the task has looked at it more than a thousand times, so that one that waits for it ends.
 *
 * Workers, worklets, media, sockets, asymmetric keys and names of blobs keep the browser's time and randomness; a document that uses them
 * says so by `toldBy`.
 *
 * @param seed an expression for it, where the script runs.
 * @param world `isolated` gets what verifiers use: Date, performance, timers, animation frames and randomness.
 */
export function clockScript(seed: string, world: 'page' | 'isolated'): string {
  const terms = { epoch, framesPerSecond, tickMs, toldBy: world === 'page' ? toldBy : null };
  return `(${pageProgram(clockFile)})({ seed: (${seed}) >>> 0, ...${JSON.stringify(terms)} });`;
}
