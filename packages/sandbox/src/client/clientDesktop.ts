import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { DesktopWindow } from '../desktop/windows.js';
import { desktop as routes } from '../wire/desktop.js';
import type { SessionLink } from './sessionLink.js';

/** See `Desktop`. */
export interface ClientDesktop {
  /** Throws `bad_input` for an unknown program. */
  launch(program: string, args?: readonly string[]): Promise<void>;
  /** Oldest first. */
  windows(): Promise<DesktopWindow[]>;
  /** Throws `infra` after 10 s by default. */
  waitForWindow(fits: (window: DesktopWindow) => boolean, timeoutMs?: number): Promise<DesktopWindow>;
}

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
          throw new GyreError('infra', `no matching window appeared within ${timeoutMs} ms`, {
            part: 'remote',
            field: 'window',
            fix: 'raise timeoutMs, or check the screen',
          });
        }
        await pause(stepMs);
      }
    },
  };
}
