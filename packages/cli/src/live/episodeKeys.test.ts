import { PassThrough } from 'node:stream';
import { EpisodeControl } from '@gyre/agent';
import { beforeEach, expect, test } from 'vitest';
import { episodeKeys, type Keyboard } from './episodeKeys.js';

let control: EpisodeControl;
let keyboard: PassThrough & Keyboard & { raw: boolean };
let lines: string[];
let interrupts: number;
const link = async () => 'http://127.0.0.1:1/live/runs/one';

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
    link,
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
  expect(lines).toEqual(['keys: p pause/resume, s stop, t take over']);
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

test('print where to take over, and a page that fails', async () => {
  const release = listen();
  expect(await press('t')).toEqual(['take it over here: http://127.0.0.1:1/live/runs/one']);
  expect(control.state).toBe('running');
  release();
  listen({ link: () => Promise.reject(new Error('no port')) });
  expect(await press('t')).toEqual(['t: no port']);
});

test('leave ctrl-C as it is', async () => {
  listen();
  await press('\u0003');
  expect(interrupts).toBe(1);
});
