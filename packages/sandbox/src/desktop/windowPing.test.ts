import { readFileSync } from 'node:fs';
import x11 from 'x11';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { XConnection } from './connection.js';
import { Desktop } from './desktop.js';
import { missingForDesktop } from './requirement.js';

const missing = missingForDesktop().map(({ debian }) => debian);
const key = { type: 'hotkey', keys: 'a' } as const;

class Program {
  readonly heard: string[] = [];

  private constructor(
    readonly connection: XConnection,
    readonly window: number,
  ) {}

  static async open(desktop: Desktop, understands: boolean, onPing: () => Promise<void>): Promise<Program> {
    const { DISPLAY = '', XAUTHORITY = '' } = desktop.env;
    const connection = await XConnection.open(
      `/tmp/.X11-unix/X${DISPLAY.slice(1)}`,
      readFileSync(XAUTHORITY).subarray(-16),
    );
    const [protocols, ping, name] = await Promise.all(
      ['WM_PROTOCOLS', '_NET_WM_PING', '_NET_WM_NAME'].map((atom) => connection.atom(atom)),
    );
    const [atomType, utf8] = [4, await connection.atom('UTF8_STRING')];
    const { root } = connection;
    const program = new Program(connection, connection.newId());
    const { window, heard } = program;
    connection.onEvent(({ name: event, wid, data }) => {
      if (event === 'KeyPress') heard.push('key');
      if (event !== 'ClientMessage' || wid !== window) return;
      const words = data as number[];
      if (words[0] !== ping) return;
      heard.push('asked');
      void onPing()
        .then(() => {
          heard.push('answered');
          connection.tell((client) => client.SendClientMessage(root, root, protocols!, 32, words));
        })
        .catch(() => undefined);
    });
    connection.tell((client) => {
      client.CreateWindow(window, root, 0, 0, 300, 200, 0, 0, 0, 0, { eventMask: x11.eventMask.KeyPress! });
      client.ChangeProperty(0, window, name!, utf8, 8, Buffer.from('ours'));
      if (understands) client.ChangeProperty(0, window, protocols!, atomType, 32, [ping!]);
      client.MapWindow(window);
    });
    await desktop.waitForWindow(({ title, focused }) => title === 'ours' && focused);
    return program;
  }
}

describe.skipIf(missing.length > 0)(
  `an action waits for the program in front${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`,
  () => {
    let enclosure: BareEnclosure;
    let desktop: Desktop;
    let program: Program | undefined;
    beforeAll(async () => {
      enclosure = await BareEnclosure.create();
      desktop = await Desktop.start(enclosure, { size: { width: 640, height: 480 }, accessibility: false });
    });
    afterEach(async () => {
      program?.connection.close();
      await expect.poll(() => desktop.windows()).toEqual([]);
    });
    afterAll(async () => {
      await desktop.close();
      await enclosure.close();
    });

    it('until it has handled the input, however long that takes', async () => {
      program = await Program.open(desktop, true, () => new Promise((resolve) => setTimeout(resolve, 400)));
      await desktop.act(key);
      expect(program.heard).toEqual(['key', 'asked', 'answered']);
      await desktop.act(key);
      expect(program.heard).toEqual(['key', 'asked', 'answered', 'key', 'asked', 'answered']);
    });

    it('but not longer than the limit if it never answers', async () => {
      program = await Program.open(desktop, true, () => Promise.reject(new Error('busy')));
      await desktop.act(key);
      expect(program.heard).toEqual(['key', 'asked']);
    });

    it('but not if it has exited', async () => {
      const closing = await Program.open(desktop, true, () => {
        closing.connection.close();
        return Promise.reject(new Error('gone'));
      });
      program = closing;
      const start = performance.now();
      await desktop.act(key);
      expect(closing.heard).toEqual(['key', 'asked']);
      expect(performance.now() - start).toBeLessThan(1_500);
    });

    it('but not if it does not support pings', async () => {
      program = await Program.open(desktop, false, () => Promise.resolve());
      await desktop.act(key);
      expect(program.heard).toEqual(['key']);
    });
  },
);
