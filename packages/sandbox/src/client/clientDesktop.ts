import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { DesktopWindow } from '../desktop/windows.js';
import { desktop as routes } from '../wire/desktop.js';
import type { SessionLink } from './sessionLink.js';

/** Programs and windows of a desktop on another host; see `Desktop`. */
export interface ClientDesktop {
  /** Starts a program. Throws `bad_input` where there is none of that name. */
  launch(program: string, args?: readonly string[]): Promise<void>;
  /** Lists the windows of applications, oldest first. */
  windows(): Promise<DesktopWindow[]>;
  /** Resolves with the first window that fits, once there is one. Throws `infra` where there is none in time (10 s). */
  waitForWindow(fits: (window: DesktopWindow) => boolean, timeoutMs?: number): Promise<DesktopWindow>;
}

/** Interval of the polls, in ms. */
const stepMs = 100;

export function clientDesktop({ id, call }: SessionLink): ClientDesktop {
  const params = { id };
  const windows = async () => (await call(routes.windows, { params })).map((window) => ({ pid: undefined, ...window }));
  return {
    windows,
    launch: (program, args = []) => call(routes.launch, { params, body: { program, args: [...args] } }),
    waitForWindow: async (fits, timeoutMs = 10_000) => {
      for (const limit = performance.now() + timeoutMs; ;) {
        const window = (await windows()).find(fits);
        if (window) return window;
        if (performance.now() >= limit) {
          throw new GyreError('infra', `no such window after ${timeoutMs} ms`, {
            part: 'remote',
            field: 'window',
            fix: 'wait longer, or look at the screen',
          });
        }
        await pause(stepMs);
      }
    },
  };
}
