import { PassThrough } from 'node:stream';
import { EpisodeControl } from '@gyre/agent';
import type { Frame } from '@gyre/sandbox';
import { beforeEach, expect, test } from 'vitest';
import { episodeKeys, type Keyboard } from './episodeKeys.js';

let control: EpisodeControl;
let keyboard: PassThrough & Keyboard & { raw: boolean };
let lines: string[];
let interrupts: number;
const view = { link: async (name: string) => `http://127.0.0.1:1/view#${name}` };
const environment = { observe: async () => ({}) as Frame };

beforeEach(() => {
  control = new EpisodeControl();
  const stream = new PassThrough();
  keyboard = Object.assign(stream, {
    raw: false,
    setRawMode: (raw: boolean) => {
      keyboard.raw = raw;
      return keyboard as unknown as NodeJS.ReadStream;
    },
  }) as unknown as typeof keyboard;
  lines = [];
  interrupts = 0;
});

const listen = (more: Partial<Parameters<typeof episodeKeys>[0]> = {}) =>
  episodeKeys({
    control,
    keyboard,
    terminal: { log: (line) => lines.push(line) },
    view,
    onInterrupt: () => interrupts++,
    ...more,
  });

const press = async (keys: string): Promise<string[]> => {
  lines = [];
  keyboard.write(keys);
  await new Promise((resolve) => setTimeout(resolve, 5));
  return lines;
};

test('are listed in one line, and read until the keyboard is released', async () => {
  const giveBack = listen();
  expect(lines).toEqual(['keys: p pause/resume, s stop, t take over/hand back']);
  expect(keyboard.raw).toBe(true);
  expect(await press('x')).toEqual([]);
  giveBack();
  expect(keyboard.raw).toBe(false);
  await press('s');
  expect(control.state).toBe('running');
});

test('pause, resume and stop', async () => {
  listen();
  expect(await press('p')).toEqual(['pausing after this turn; p resumes']);
  expect(control.state).toBe('paused');
  expect(await press('p')).toEqual(['resumed']);
  expect(await press('s')).toEqual(['stopping']);
  expect(control.signal.aborted).toBe(true);
  // An ended episode takes no keys.
  expect(await press('ptsp')).toEqual([]);
});

test('take over where there is a live view, once the turn is over, and hand back', async () => {
  listen();
  expect(await press('t')).toEqual(['you take control after this turn']);
  const settled = control.settle(environment);
  expect(await press('p')).toEqual(['you control it: http://127.0.0.1:1/view#a person', 't hands it back']);
  expect(control.state).toBe('taken');
  expect(await press('t')).toEqual(['handed back; the episode continues once the live view is handed back too']);
  expect(await settled).toMatchObject({ by: ['a person'] });
});

test('say that a session without a live view cannot be taken over, and a view that fails', async () => {
  listen({ view: undefined });
  expect(lines).toEqual(['keys: p pause/resume, s stop']);
  expect(await press('t')).toEqual(['t: this session has no live view, so it cannot be taken over']);
  expect(control.state).toBe('running');
  keyboard.removeAllListeners('data');

  listen({ view: { link: () => Promise.reject(new Error('no port')) } });
  expect(await press('t')).toEqual(['you take control after this turn', 't: no port']);
  expect(control.state).toBe('running');
});

test('leave ctrl-C as it is', async () => {
  listen();
  await press('\u0003');
  expect(interrupts).toBe(1);
});
