import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '@gyre/protocol';
import { json, type CompatHandler } from '../served/request.js';
import { AioDouble } from '../double/aioDouble.js';
import { CuaDouble } from '../double/cuaDouble.js';
import { startHost, type Host } from '../double/host.js';
import { OsworldDouble } from '../double/osworldDouble.js';
import { hasPython, PythonDouble } from '../double/pyautoguiDouble.js';
import { ScreenDouble } from '../double/screenDouble.js';
import { Remote, type RemoteOptions, type RemoteProtocol } from './remote.js';

interface Double {
  readonly handler: CompatHandler;
  readonly screen: ScreenDouble;
  readonly files: Map<string, Uint8Array>;
}

const python = new PythonDouble();
afterAll(() => python.close());

const doubles: Record<RemoteProtocol, () => Double> = {
  osworld: () => new OsworldDouble(python),
  aio: () => new AioDouble(),
  cua: () => new CuaDouble(),
};

const point = { x: 0.25, y: 0.5 };
const end = { x: 1, y: 0 };

const common: Action[] = [
  { type: 'click', point },
  { type: 'right_click', point },
  { type: 'middle_click', point },
  { type: 'double_click', point: end },
  { type: 'mouse_move', point },
  { type: 'mouse_down', point, button: 'right' },
  { type: 'mouse_up', button: 'right' },
  { type: 'mouse_down' },
  { type: 'mouse_up', point: end },
  { type: 'drag', start: point, end },
  { type: 'swipe', start: end, end: point },
  { type: 'scroll', point, direction: 'down' },
  { type: 'scroll', direction: 'up' },
  { type: 'scroll', direction: 'left' },
  { type: 'scroll', point: end, direction: 'right' },
  { type: 'type', text: 'Hello, World! \'"\\n {x} $HOME `id` %s\nnext\tline' },
  { type: 'hotkey', keys: 'ctrl shift t' },
  { type: 'hotkey', keys: 'meta' },
  { type: 'hotkey', keys: 'pageup' },
  { type: 'hotkey', keys: 'Return' },
  { type: 'press', key: 'shift' },
  { type: 'release', key: 'shift' },
  { type: 'press', key: 'capslock' },
  { type: 'release', key: 'capslock' },
];

let server: Host;
let double: Double;
const open: Remote[] = [];

async function connect(
  protocol: RemoteProtocol,
  protocolDouble = doubles[protocol](),
  options: Pick<RemoteOptions, 'settle'> = { settle: false },
) {
  double = protocolDouble;
  server = await startHost(double.handler);
  const remote = await Remote.connect({ protocol, url: server.url, ...options });
  open.push(remote);
  return remote;
}

beforeEach(() => {
  open.length = 0;
});

afterEach(async () => {
  for (const remote of open) await remote.close();
  await server.close();
});

function withoutPath(events: readonly string[]): string[] {
  let pressed = 0;
  return events.filter((event, index) => {
    if (event.startsWith('down')) pressed++;
    if (event.startsWith('up')) pressed--;
    return !(pressed > 0 && event.startsWith('move') && events[index + 1]?.startsWith('move'));
  });
}

/** Drops redundant moves: some clients move before a press. */
function settled(events: readonly string[]): string[] {
  return withoutPath(events).filter((event, index, remaining) => {
    const before = remaining.slice(0, index).findLast((earlier) => earlier.startsWith('move'));
    return !(event.startsWith('move') && event === before && index > 0);
  });
}

describe.skipIf(!hasPython).each(['osworld', 'aio', 'cua'] as const)('%s', (protocol) => {
  it('knows the size of the screen and shows it', async () => {
    const remote = await connect(protocol);
    expect(remote.size).toEqual({ width: 64, height: 48 });
    const before = await remote.observe();
    expect(before.size).toEqual(remote.size);
    await remote.act({ type: 'click', point });
    expect((await remote.observe()).hash).not.toBe(before.hash);
    expect((await remote.observe()).png).toEqual(Buffer.from(double.screen.png()));
  });

  it('performs each action', async () => {
    const remote = await connect(protocol);
    const meant = new ScreenDouble();
    for (const action of common) {
      double.screen.events.length = 0;
      meant.events.length = 0;
      await remote.act(action);
      await meant.act(action);
      expect(settled(double.screen.events), JSON.stringify(action)).toEqual(settled(meant.events));
    }
    expect(double.screen.text).toBe(meant.text);
  });

  it('holds a long press', async () => {
    const remote = await connect(protocol);
    await remote.act({ type: 'long_press', point });
    expect(settled(double.screen.events)).toEqual(['move 16,24', 'down left', 'up left']);
  });

  it('types any text as it is', async () => {
    const remote = await connect(protocol);
    for (const text of [
      'a < b > c <<',
      'naïve 漢字 😀 \u2028 "quoted"',
      "'); import os; os.abort() #",
      '\\u0041\\',
      'x'.repeat(2_500),
    ]) {
      double.screen.text = '';
      await remote.act({ type: 'type', text });
      expect(double.screen.text).toBe(text);
    }
  });

  it('refuses what it cannot do, and does nothing', async () => {
    const remote = await connect(protocol);
    server.requests.length = 0;
    const impossible: Action[] = [
      { type: 'press_home' },
      { type: 'open_app', name: 'x' },
      { type: 'hotkey', keys: 'no-such-key' },
      { type: 'press', key: 'hyper' },
      { type: 'type', text: 'bell \x07' },
      { type: 'type', text: 'half \ud83d' },
      { type: 'click', point: { x: 1.5, y: 0 } },
      ...(protocol === 'aio' ? [] : [{ type: 'navigate', url: 'x' } as const, { type: 'navigate_back' } as const]),
    ];
    for (const action of impossible) {
      await expect(remote.act(action), JSON.stringify(action)).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(server.requests).toEqual([]);
  });

  it('sends no request for actions without effect on the screen', async () => {
    const remote = await connect(protocol);
    server.requests.length = 0;
    for (const type of ['screenshot', 'finished', 'call_user'] as const) await remote.act({ type });
    await remote.act({ type: 'wait', seconds: 0.01 });
    expect(server.requests).toEqual([]);
  });

  it('runs commands and tells how they ended', async () => {
    const remote = await connect(protocol);
    const ran = await remote.run("echo out; echo 'err é' >&2; exit 3");
    expect(ran).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err é\n', timedOut: false });
    expect(await remote.run('kill -9 $$')).toMatchObject({ exitCode: 137 });
  });

  it('reads, writes and lists files', async () => {
    const remote = await connect(protocol);
    const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index & 0xff);
    await remote.write('/home/user/a b é.bin', bytes);
    await remote.write('/home/user/more/text', 'text');
    expect(new Uint8Array(await remote.readBytes('/home/user/a b é.bin'))).toEqual(bytes);
    const names = (await remote.list('/home/user')).map(({ name }) => name);
    expect(names).toEqual(['a b é.bin', 'more']);
    if (protocol !== 'cua')
      expect((await remote.list('/home/user')).map(({ type }) => type)).toEqual(['file', 'folder']);
    await expect(remote.readBytes('/nowhere')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'path' } });
    await expect(remote.list('/nowhere')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'path' } });
    await expect(remote.write('/proc/no/x', 'x')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'path' },
    });
  });

  it('waits until the screen settles', async () => {
    const remote = await connect(protocol, doubles[protocol](), { settle: { gapMs: 5 } });
    server.requests.length = 0;
    await remote.act({ type: 'click', point });
    // One screenshot, the click, two equal screenshots.
    expect(server.requests).toHaveLength(4);
  });

  it('releases held keys and buttons when it is closed', async () => {
    const remote = await connect(protocol);
    await remote.act({ type: 'mouse_down', point });
    await remote.act({ type: 'press', key: 'ctrl' });
    await remote.act({ type: 'press', key: 'shift' });
    await remote.act({ type: 'release', key: 'shift' });
    double.screen.events.length = 0;
    await remote.close();
    await remote.ended;
    expect(double.screen.events).toEqual(['up left', 'key- ctrl']);
    await expect(remote.observe()).rejects.toMatchObject({ code: 'infra' });
    await expect(remote.run('true')).rejects.toMatchObject({ code: 'infra' });
  });

  it('takes one action after another, however they are asked for', async () => {
    const remote = await connect(protocol);
    const texts = ['a', 'b', 'c'];
    await Promise.all(texts.map((text) => remote.act({ type: 'type', text })));
    expect(double.screen.text).toBe('abc');
  });
});

describe.skipIf(!hasPython)('a single protocol', () => {
  it('reports a timeout of the OSWorld shell', async () => {
    const remote = await connect('osworld');
    expect(await remote.run('sleep 5', { timeoutMs: 300 })).toMatchObject({ timedOut: true });
  });

  it('reports a timeout of the AIO shell, and leaves no session behind', async () => {
    const remote = await connect('aio');
    expect(await remote.run('echo so far; sleep 5', { timeoutMs: 300 })).toMatchObject({ timedOut: true });
    expect(double instanceof AioDouble && double.sessions.size).toBe(0);
  });

  it('stops waiting for a command of cua that takes too long', async () => {
    const remote = await connect('cua');
    expect(await remote.run('sleep 1', { timeoutMs: 300 })).toMatchObject({ timedOut: true });
  });

  it('uses the terminal of AIO images without /v1/bash', async () => {
    const remote = await connect('aio', new AioDouble({ bash: false }));
    expect(await remote.run('echo out; echo err >&2; exit 4')).toMatchObject({ exitCode: 4, stdout: 'out\nerr\n' });
  });

  it('navigates the browser of the AIO sandbox', async () => {
    const remote = await connect('aio');
    await remote.act({ type: 'navigate', url: 'https://example.com' });
    await remote.act({ type: 'navigate_back' });
    expect(double.screen.events).toEqual(['navigate https://example.com', 'back']);
    await expect(remote.launch('xterm')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(remote.accessibility()).rejects.toMatchObject({ code: 'bad_input' });
  });

  it("finds other names for keys that newer servers of cua's do not know", async () => {
    const remote = await connect('cua', new CuaDouble({ newer: true }));
    await remote.act({ type: 'hotkey', keys: 'meta pageup' });
    await remote.act({ type: 'press', key: 'capslock' });
    expect(double.screen.events).toEqual(['key+ win', 'key+ pageup', 'key- pageup', 'key- win', 'key+ capslock']);
  });

  it('launches programs where the server can', async () => {
    const osworld = await connect('osworld');
    await osworld.launch('gedit', ['a b']);
    expect(double instanceof OsworldDouble && double.launched).toEqual([['gedit', 'a b']]);
    await expect(osworld.launch('no-such-program')).rejects.toMatchObject({ code: 'bad_input' });
    expect(await osworld.accessibility()).toMatchObject({ format: 'xml' });
    const without = { status: 'error', message: 'pyatspi is not available on this machine.' };
    server.injectFault = () => json(without, 500);
    await expect(osworld.accessibility()).rejects.toMatchObject({ code: 'bad_input' });
    await server.close();
    const cua = await connect('cua');
    await expect(cua.launch('gedit')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'protocol' } });
    // cua makes one up on Linux.
    await expect(cua.accessibility()).rejects.toMatchObject({ code: 'bad_input' });
    await server.close();
    const newer = await connect('cua', new CuaDouble({ newer: true, system: 'macos' }));
    await newer.launch('TextEdit');
    await newer.launch("My Editor; it's mine");
    await newer.launch('TextEdit', ['a b']);
    expect(double instanceof CuaDouble && double.launched).toEqual([
      'TextEdit',
      "'My Editor; it'\\''s mine'",
      'TextEdit a b',
    ]);
    expect(await newer.accessibility()).toMatchObject({ format: 'json', tree: { role: 'Window' } });
  });

  it('refuses characters that a machine without pynput cannot type', async () => {
    const bare = new PythonDouble({ pynput: false });
    const remote = await connect('osworld', new OsworldDouble(bare));
    await remote.act({ type: 'type', text: 'plain' });
    await expect(remote.act({ type: 'type', text: 'né' })).rejects.toMatchObject({ code: 'bad_input' });
    expect(double.screen.text).toBe('plain');
    bare.close();
  });
});
