import { setTimeout as pause } from 'node:timers/promises';
import type { Attributes, Geometry } from './xClient.js';
import { GyreError, type Size } from '@gyre/protocol';
import type { Box } from '../input/box.js';
import type { XConnection } from './connection.js';

export interface DesktopWindow {
  readonly id: number;
  readonly title: string;
  readonly program: string;
  readonly pid: number | undefined;
  readonly box: Box;
  readonly focused: boolean;
}

/** EWMH source indication: pagers may do more than applications. */
const pager = 2;

/** Programs inside can open, and claim, any number. */
const maxWindows = 1_000;

/** In ms; grows, since polling slows the programs down. */
const soonestMs = 10;
const latestMs = 50;
const replyMs = 1_000;

/** Asks the window manager (EWMH), or else the X server. */
export class Windows {
  readonly #connection: XConnection;
  readonly #size: Size;
  readonly #managed: boolean;

  constructor(connection: XConnection, size: Size, managed: boolean) {
    this.#connection = connection;
    this.#size = size;
    this.#managed = managed;
  }

  async list(): Promise<DesktopWindow[]> {
    const ids = this.#managed
      ? await this.#connection.numbers(this.#connection.root, '_NET_CLIENT_LIST')
      : await this.#bare();
    const focused = await this.#focused();
    const described = await Promise.all(
      ids.slice(0, maxWindows).map((id) => this.#describe(id, focused).catch(ifGone)),
    );
    return described.filter((window) => window !== undefined);
  }

  /** Throws `bad_input` if it does not exist, `infra` if nothing happens. */
  async activate(id: number): Promise<void> {
    await this.#find(id);
    const { root } = this.#connection;
    if (this.#managed) {
      const message = await this.#connection.atom('_NET_ACTIVE_WINDOW');
      this.#connection.tell((client) => client.SendClientMessage(root, id, message, 32, [pager, 0, 0, 0, 0]));
    } else {
      this.#connection.tell((client) => {
        client.RaiseWindow(id);
        client.SetInputFocus(id, 1);
      });
    }
    if (await within(replyMs, async () => (await this.#focused()) === id)) return;
    throw new GyreError('infra', `window ${id} did not come to the front`, {
      part: 'window_manager',
      field: 'window',
      fix: 'check the screen',
    });
  }

  async close(id: number): Promise<boolean> {
    await this.#find(id);
    const { root } = this.#connection;
    if (this.#managed) {
      const message = await this.#connection.atom('_NET_CLOSE_WINDOW');
      this.#connection.tell((client) => client.SendClientMessage(root, id, message, 32, [0, pager, 0, 0, 0]));
    } else {
      const [protocols, remove] = [
        await this.#connection.atom('WM_PROTOCOLS'),
        await this.#connection.atom('WM_DELETE_WINDOW'),
      ];
      const understood = (await this.#connection.numbers(id, 'WM_PROTOCOLS')).includes(remove);
      this.#connection.tell((client) => {
        if (understood) client.SendClientMessage(id, id, protocols, 32, [remove, 0, 0, 0, 0], 0);
        else client.KillClient(id);
      });
    }
    return within(replyMs, async () => (await this.list()).every((window) => window.id !== id));
  }

  async wait(fits: (window: DesktopWindow) => boolean, timeoutMs: number): Promise<DesktopWindow> {
    let match: DesktopWindow | undefined;
    await within(timeoutMs, async () => (match = (await this.list()).find(fits)) !== undefined);
    if (match !== undefined) return match;
    throw new GyreError('infra', `no matching window appeared within ${timeoutMs} ms`, {
      part: 'display',
      field: 'window',
      fix: 'raise timeoutMs, or check the screen',
    });
  }

  /** Ignores properties, which programs can forge. */
  exists(id: number): Promise<boolean> {
    return this.#connection
      .ask<Attributes>((client, reply) => client.GetWindowAttributes(id, reply))
      .then(() => true, ifGone)
      .then((there) => there === true);
  }

  async keysTo(): Promise<number> {
    const { focus } = await this.#connection.ask<{ focus: number }>((client, reply) => client.GetInputFocus(reply));
    return focus;
  }

  async #find(id: number): Promise<void> {
    if ((await this.list()).some((window) => window.id === id)) return;
    throw new GyreError('bad_input', `there is no window ${id}`, { field: 'window', fix: 'use an id from windows()' });
  }

  async #bare(): Promise<number[]> {
    const tree = await this.#connection.ask<{ children: number[] }>((client, reply) =>
      client.QueryTree(this.#connection.root, reply),
    );
    const children = tree.children.slice(0, maxWindows);
    const seen = await Promise.all(
      children
        .map(async (id) => {
          const { mapState, overrideRedirect } = await this.#connection.ask<Attributes>((client, reply) =>
            client.GetWindowAttributes(id, reply),
          );
          return mapState === 2 && overrideRedirect === 0;
        })
        .map((looked) => looked.catch(() => false)),
    );
    return children.filter((_, index) => seen[index]);
  }

  async #focused(): Promise<number> {
    if (this.#managed) return (await this.#connection.numbers(this.#connection.root, '_NET_ACTIVE_WINDOW'))[0] ?? 0;
    return (await this.#connection.ask<{ focus: number }>((client, reply) => client.GetInputFocus(reply))).focus;
  }

  /** Returns the application's title, or else the window manager's. */
  async #title(id: number): Promise<string> {
    for (const name of ['_NET_WM_NAME', '_NET_WM_VISIBLE_NAME']) {
      const { type, data } = await this.#connection.property(id, name);
      if (type !== 0) return data.toString();
    }
    const { type, data } = await this.#connection.property(id, 'WM_NAME');
    return data.toString(type === (await this.#connection.atom('UTF8_STRING')) ? 'utf8' : 'latin1');
  }

  async #describe(id: number, focused: number): Promise<DesktopWindow> {
    const { root } = this.#connection;
    const [title, classes, pids, geometry, place] = await Promise.all([
      this.#title(id),
      this.#connection.property(id, 'WM_CLASS'),
      this.#connection.numbers(id, '_NET_WM_PID'),
      this.#connection.ask<Geometry>((client, reply) => client.GetGeometry(id, reply)),
      this.#connection.ask<{ destX: number; destY: number }>((client, reply) =>
        client.TranslateCoordinates(id, root, 0, 0, reply),
      ),
    ]);
    const { width, height } = this.#size;
    return {
      id,
      title,
      // Instance and class, zero-terminated.
      program: classes.data.toString('latin1').split('\0')[1] ?? '',
      pid: pids[0],
      box: {
        x: place.destX / width,
        y: place.destY / height,
        width: geometry.width / width,
        height: geometry.height / height,
      },
      focused: id === focused,
    };
  }
}

function ifGone(error: unknown): undefined {
  if (error instanceof GyreError && error.code === 'bad_input') return undefined;
  throw error;
}

async function within(ms: number, done: () => Promise<boolean>): Promise<boolean> {
  for (const began = performance.now(); ;) {
    if (await done()) return true;
    const waited = performance.now() - began;
    if (waited >= ms) return false;
    await pause(Math.min(latestMs, Math.max(soonestMs, waited / 10)));
  }
}
