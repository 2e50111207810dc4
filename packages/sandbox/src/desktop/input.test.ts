import { existsSync, readFileSync, rmSync } from 'node:fs';
import x11 from 'x11';
import type { Action } from '@gyre/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { XConnection } from './connection.js';
import { Desktop } from './desktop.js';
import { missingForDesktop } from './requirement.js';
import type { XEvent } from './xClient.js';

const size = { width: 640, height: 480 };
const place = { x: 100, y: 60, width: 400, height: 300 };
const missing = missingForDesktop().map(({ debian }) => debian);

class EventWindow {
  readonly #events: XEvent[] = [];

  private constructor(readonly connection: XConnection) {
    connection.onEvent((event) => this.#events.push(event));
  }

  static async open({ env }: Desktop): Promise<EventWindow> {
    const socket = `/tmp/.X11-unix/X${env.DISPLAY!.slice(1)}`;
    const cookie = readFileSync(env.XAUTHORITY!).subarray(-16);
    const window = new EventWindow(await XConnection.open(socket, cookie));
    const id = window.connection.newId();
    const masks = ['KeyPress', 'KeyRelease', 'ButtonPress', 'ButtonRelease', 'PointerMotion'];
    const eventMask = masks.reduce((sum, mask) => sum | x11.eventMask[mask]!, 0);
    const { x, y, width, height } = place;
    window.connection.tell((client) => {
      client.CreateWindow(id, window.connection.root, x, y, width, height, 0, 0, 0, 0, { eventMask });
      client.MapWindow(id);
      client.SetInputFocus(id, 1);
    });
    await window.connection.sync();
    return window;
  }

  async keyTimes(): Promise<number[]> {
    await this.connection.sync();
    const keys = this.#events.splice(0).filter(({ name }) => name.startsWith('Key'));
    return keys.map(({ time }) => time);
  }

  async heard(): Promise<string[]> {
    await this.connection.sync();
    const heard = this.#events.splice(0).filter(({ name }) => name !== 'MappingNotify');
    return heard.map(({ name, keycode, x, y, buttons }) =>
      [name, keycode, 'at', `${x},${y}`, 'with', buttons].join(' '),
    );
  }
}

const pointIn = (x: number, y: number) => ({
  x: (place.x + x + 0.5) / size.width,
  y: (place.y + y + 0.5) / size.height,
});

describe.skipIf(missing.length > 0)(
  `the pointer and the keys${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`,
  () => {
    let enclosure: BareEnclosure;
    let desktop: Desktop;
    let window: EventWindow;
    beforeAll(async () => {
      enclosure = await BareEnclosure.create();
      desktop = await Desktop.start(enclosure, { size, windowManager: false, accessibility: false, settle: false });
      window = await EventWindow.open(desktop);
    });
    afterAll(async () => {
      window.connection.close();
      await desktop.close();
      await enclosure.close();
    });
    afterEach(() => window.heard());

    const does = async (...actions: Action[]) => {
      for (const action of actions) await desktop.act(action);
      return window.heard();
    };
    const buttons = (events: string[]) => events.filter((event) => event.startsWith('Button'));

    it.each([
      ['click', 1, '256'],
      ['middle_click', 2, '512'],
      ['right_click', 3, '1024'],
    ] as const)('%s is button %i on the pixel under the point', async (type, button, mask) => {
      expect(buttons(await does({ type, point: pointIn(0, 0) }))).toEqual([
        `ButtonPress ${button} at 0,0 with 0`,
        `ButtonRelease ${button} at 0,0 with ${mask}`,
      ]);
      expect(buttons(await does({ type, point: pointIn(399, 299) }))).toEqual([
        `ButtonPress ${button} at 399,299 with 0`,
        `ButtonRelease ${button} at 399,299 with ${mask}`,
      ]);
      expect(buttons(await does({ type, point: pointIn(400, 299) }))).toEqual([]);
    });

    it('double_click is two clicks, and click after click is not', async () => {
      const times = async (...actions: Action[]) => {
        const heard: number[] = [];
        const listen = ({ name, time }: XEvent) => {
          if (name === 'ButtonPress') heard.push(time);
        };
        window.connection.onEvent(listen);
        await does(...actions);
        return heard[1]! - heard[0]!;
      };
      expect(await times({ type: 'double_click', point: pointIn(200, 20) })).toBeLessThan(100);
      const click = { type: 'click', point: pointIn(200, 200) } as const;
      expect(await times(click, click)).toBeGreaterThanOrEqual(490);
    });

    it('drag holds the button on its way', async () => {
      const events = await does({ type: 'drag', start: pointIn(10, 10), end: pointIn(90, 50) });
      expect(events[0]).toBe('MotionNotify 0 at 10,10 with 0');
      expect(events[1]).toBe('ButtonPress 1 at 10,10 with 0');
      expect(events.slice(2, -1)).toEqual(
        Array.from({ length: 8 }, (_, step) => `MotionNotify 0 at ${20 + step * 10},${15 + step * 5} with 256`),
      );
      expect(events.at(-1)).toBe('ButtonRelease 1 at 90,50 with 256');
    });

    it('mouse_down, mouse_move and mouse_up are a drag in pieces', async () => {
      expect(
        await does(
          { type: 'mouse_down', point: pointIn(5, 5), button: 'right' },
          { type: 'mouse_move', point: pointIn(6, 7) },
          { type: 'mouse_up', button: 'right' },
        ),
      ).toEqual([
        'MotionNotify 0 at 5,5 with 0',
        'ButtonPress 3 at 5,5 with 0',
        'MotionNotify 0 at 6,7 with 1024',
        'ButtonRelease 3 at 6,7 with 1024',
      ]);
    });

    it('long_press rests before it lets go', async () => {
      const start = performance.now();
      expect(buttons(await does({ type: 'long_press', point: pointIn(30, 30) }))).toHaveLength(2);
      expect(performance.now() - start).toBeGreaterThan(590);
    });

    it.each([
      ['up', 4],
      ['down', 5],
      ['left', 6],
      ['right', 7],
    ] as const)('scroll %s is wheel button %i', async (direction, button) => {
      const pressed = (await does({ type: 'scroll', point: pointIn(50, 50), direction })).filter((event) =>
        event.startsWith('ButtonPress'),
      );
      expect(pressed).toEqual(Array.from({ length: 5 }, () => `ButtonPress ${button} at 50,50 with 0`));
    });

    it('a repeated key in a text is released before it is pressed again', async () => {
      await desktop.act({ type: 'type', text: 'oo66ll' });
      const times = await window.keyTimes();
      expect(times).toHaveLength(12);
      for (const [up, downAgain] of [
        [1, 2],
        [5, 6],
        [9, 10],
      ] as const)
        expect(times[downAgain]! - times[up]!).toBeGreaterThan(0);
    });

    it('keys are held with their modifiers', async () => {
      const keys = (events: string[]) => events.map((event) => event.replace(/ at \S+/, ''));
      expect(keys(await does({ type: 'hotkey', keys: 'ctrl shift t' }))).toEqual([
        'KeyPress 37 with 0',
        'KeyPress 50 with 4',
        'KeyPress 28 with 5',
        'KeyRelease 28 with 5',
        'KeyRelease 50 with 5',
        'KeyRelease 37 with 4',
      ]);
      expect(keys(await does({ type: 'hotkey', keys: 'ctrl +' }))).toEqual([
        'KeyPress 37 with 0',
        'KeyPress 50 with 4',
        'KeyPress 21 with 5',
        'KeyRelease 21 with 5',
        'KeyRelease 50 with 5',
        'KeyRelease 37 with 4',
      ]);
      expect(
        keys(
          await does(
            { type: 'press', key: 'shift' },
            { type: 'hotkey', keys: 'enter' },
            { type: 'release', key: 'shift' },
          ),
        ),
      ).toEqual(['KeyPress 50 with 0', 'KeyPress 36 with 1', 'KeyRelease 36 with 1', 'KeyRelease 50 with 1']);
    });

    it.each([
      [{ type: 'click', point: { x: 1.01, y: 0.5 } }, 'point.x'],
      [{ type: 'click', point: { x: Number.NaN, y: 0.5 } }, 'point.x'],
      [{ type: 'press', key: 'hyper' }, 'key'],
      [{ type: 'hotkey', keys: 'a b c d e f' }, 'keys'],
      [{ type: 'hotkey', keys: 'ctrl é' }, 'key'],
      [{ type: 'type', text: 'a\u001bb' }, 'text'],
      [{ type: 'type', text: 'a\ud83d' }, 'text'],
      [{ type: 'navigate', url: 'https://example.org' }, 'type'],
      [{ type: 'open_app', name: 'xterm' }, 'type'],
      [{ type: 'press_home' }, 'type'],
      [{ type: 'shake' } as unknown as Action, 'type'],
    ] as [Action, string][])('refuses %j and does nothing', async (action, field) => {
      await expect(desktop.act(action)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
      expect(await window.heard()).toEqual([]);
    });
  },
);

describe.skipIf(missing.length > 0)('text typed into a terminal', () => {
  let enclosure: BareEnclosure;
  let desktop: Desktop;
  beforeAll(async () => {
    enclosure = await BareEnclosure.create();
    desktop = await Desktop.start(enclosure, { size, accessibility: false });
  });
  afterAll(async () => {
    await desktop.close();
    await enclosure.close();
  });

  const typed = async (text: string) => {
    const terminal = await desktop.launch('xterm', ['-u8', '-e', 'sh', '-c', 'cat > typed']);
    await desktop.waitForWindow(({ program, focused }) => program === 'XTerm' && focused);
    await vi.waitUntil(() => existsSync(`${enclosure.homeOnHost}/typed`), 8_000);
    await desktop.act({ type: 'type', text });
    await desktop.act({ type: 'hotkey', keys: 'ctrl d' });
    await terminal.ended;
    const read = readFileSync(`${enclosure.homeOnHost}/typed`, 'utf8');
    rmSync(`${enclosure.homeOnHost}/typed`);
    return read;
  };

  it('is the text: every character of the keyboard, Chinese, accents and symbols', async () => {
    const keyboard = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index));
    const text = `${keyboard}\n你好，世界！汉字\nÄÖÜ ß é ñ œ € Ω я — “x” ½ 😀 𝄞\nEnd\n`;
    expect(await typed(text)).toBe(text);
  });

  it('is the text also where it has more characters than there are keys', async () => {
    const text = `${Array.from({ length: 300 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('')}\n`;
    expect(await typed(text)).toBe(text);
  });
});
