import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Enclosure } from '../isolation/enclosure.js';
import { XConnection } from './connection.js';
import type { Desktop } from './desktop.js';

export interface BareDesktop {
  /** Clicks a pixel and returns the raw screen, valid until the next step. */
  step(x: number, y: number): Promise<Uint8Array>;
  close(): void;
}

export async function openBareDesktop(enclosure: Enclosure, desktop: Desktop): Promise<BareDesktop> {
  const folder = join(enclosure.system.onHost, basename(dirname(desktop.env.XAUTHORITY!)));
  const cookie = readFileSync(join(folder, 'xauthority')).subarray(-16);
  const connection = await XConnection.open(join(folder, 'x'), cookie);
  const file = openSync(join(folder, 'screen', 'Xvfb_screen0'), 'r');
  const screen = new Uint8Array(desktop.size.width * desktop.size.height * 4);
  const offset = fstatSync(file).size - screen.length;
  const { xtest, root } = connection;
  return {
    async step(x, y) {
      connection.tell(() => {
        xtest.FakeInput(xtest.MotionNotify, 0, 0, root, x, y);
        xtest.FakeInput(xtest.ButtonPress, 1, 0, root, 0, 0);
        xtest.FakeInput(xtest.ButtonRelease, 1, 0, root, 0, 0);
      });
      await connection.sync();
      readSync(file, screen, 0, screen.length, offset);
      return screen;
    },
    close() {
      connection.close();
      closeSync(file);
    },
  };
}
