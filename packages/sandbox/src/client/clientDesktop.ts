import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { SessionLink } from './clientTools.js';
import type { DesktopWindow } from '../desktop/windows.js';
import { WindowList } from '../server/wire.js';

/** Programs and windows of a desktop elsewhere: used like those of one here. */
export interface ClientDesktop {
  /** Starts a program. Throws `bad_input` where there is none of that name. */
  launch(program: string, args?: readonly string[]): Promise<void>;
  /** The windows of applications, the oldest first. */
  windows(): Promise<DesktopWindow[]>;
  /** Resolves with the first window that fits, once there is one. Throws `infra` where there is none in time (10 s). */
  waitForWindow(fits: (window: DesktopWindow) => boolean, timeoutMs?: number): Promise<DesktopWindow>;
}

/** Between two questions, in ms. */
const stepMs = 100;

/** A desktop by way of a server: each throws what the server throws. */
export function clientDesktop(link: SessionLink): ClientDesktop {
  const windows = async () => (await link.json('GET', '/windows', WindowList)) as DesktopWindow[];
  return {
    windows,
    launch: async (program, args = []) => {
      await link.send('POST', '/launch', { program, args });
    },
    waitForWindow: async (fits, timeoutMs = 10_000) => {
      for (const limit = performance.now() + timeoutMs; ;) {
        const found = (await windows()).find(fits);
        if (found) return found;
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
