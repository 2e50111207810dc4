import type { Action } from '@gyre/protocol';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axis } from '../charts/axis.js';
import { type Chart, charts } from '../charts/chart.js';
import { pointer } from './pointer.js';
import type { Report } from './report.js';
import { writeReport } from './writeReport.js';
import { percent } from './percent.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-report-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
const interval = { success: 0.5, low: 0.4, high: 0.6 };
const report: Report = {
  title: 'Flywheel <report>',
  createdAt: '2026-11-20T14:00:00.000Z',
  seed: 7,
  minutes: 9.61,
  machine: '2 cores',
  settings: { 'ppo.epochs': 2 },
  families: [
    {
      family: 'click',
      description: 'press it',
      n: 200,
      baselines: 200,
      random: interval,
      start: interval,
      trained: interval,
      oracle: interval,
      gain: { mean: 0.1, low: -0.02, high: 0.22 },
    },
  ],
  gain: { mean: 0.1, low: -0.02, high: 0.22 },
  cycles: { tested: 1, stopped: 'all cycles are done', cycles: [] },
  curves: [
    {
      title: 'Success',
      x: 'steps',
      y: 'success',
      series: [
        {
          name: 'click',
          points: [
            [0, 0.2],
            [10, 0.8],
          ],
          band: [
            [0, 0.1, 0.3],
            [10, 0.7, 0.9],
          ],
        },
      ],
    },
  ],
  filmstrips: [
    {
      family: 'click',
      task: 'click/test/1',
      policy: 'trained',
      instruction: 'press "<save>"',
      success: true,
      frames: [
        { png, width: 160, height: 160, action: { type: 'click', point: { x: 0.5, y: 0.25 } }, caption: 'click' },
        { png, width: 160, height: 160, caption: 'the end' },
      ],
    },
  ],
  notes: ['a note'],
};

describe('the report', () => {
  test('is one file that asks the network for nothing and runs no script', async () => {
    const path = join(directory, 'new', 'report.html');
    await writeReport(path, report);
    const html = await readFile(path, 'utf8');
    expect(html).toContain(png.toString('base64'));
    expect(html).not.toMatch(/<script|https?:\/\/|url\(/);
    expect(await readdir(join(directory, 'new'))).toEqual(['report.html']);
  });

  test('moves the first task that both policies played, from frames that the file holds once', async () => {
    const path = join(directory, 'films.html');
    const [trained] = report.filmstrips;
    const start = { ...trained!, policy: 'start' as const, success: false };
    const unrelated = { ...trained!, task: 'click/test/2' };
    await writeReport(path, { ...report, filmstrips: [start, unrelated, trained!] });
    const html = await readFile(path, 'utf8');
    expect(html.match(/<figure class="films"/g)).toHaveLength(1);
    const frames = new Set([...html.matchAll(/<g id="([^"]+)"/g)].map(([, id]) => id));
    const moments = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    // Two frames, and the last one stands for three beats.
    expect(moments).toEqual(['0', '2'].flatMap((strip) => [0, 1, 1, 1].map((beat) => `click-${strip}-${beat}`)));
    expect(moments.every((id) => frames.has(id))).toBe(true);
    await writeReport(path, { ...report, filmstrips: [start, unrelated] });
    expect(await readFile(path, 'utf8')).not.toContain('<figure class="films"');
  });

  test('shows text of tasks as text, never as markup', async () => {
    const path = join(directory, 'escaped.html');
    await writeReport(path, report);
    const html = await readFile(path, 'utf8');
    expect(html).toContain('press &quot;&lt;save&gt;&quot;');
    expect(html).not.toContain('<save>');
    expect(html).toContain('<title>Flywheel &lt;report&gt;</title>');
  });

  test('that cannot be written leaves nothing behind and says so', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(writeReport(join(directory, 'file', 'report.html'), report)).rejects.toMatchObject({
      code: 'storage',
    });
  });
});

describe('an action on a frame', () => {
  const point = { x: 0.5, y: 0.25 };
  const size = { width: 320, height: 240 };
  test.each<[Action, string]>([
    [{ type: 'click', point }, 'cx="160" cy="60"'],
    [{ type: 'double_click', point }, '×2'],
    [{ type: 'drag', start: point, end: { x: 0.75, y: 0.25 } }, 'L240 60'],
    [{ type: 'scroll', point, direction: 'right' }, 'M160 60L224 60'],
    [{ type: 'hotkey', keys: 'arrowup' }, '↑'],
    [{ type: 'hotkey', keys: 'ctrl c' }, 'ctrl + c'],
    [{ type: 'type', text: '<karo>' }, '&lt;karo&gt;'],
    [{ type: 'finished' }, 'finished'],
  ])('%j is drawn', (action, expected) => {
    expect(pointer(action, size)?.text).toContain(expected);
  });

  test('that shows nothing is not drawn', () => {
    expect(pointer({ type: 'screenshot' }, size)).toBeUndefined();
    expect(pointer({ type: 'mouse_up' }, size)).toBeUndefined();
  });
});

describe('an axis', () => {
  test('has ticks at round numbers that hold the data', () => {
    const { ticks, position, label } = axis([3, 97], 0, 100);
    expect(ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(position(50)).toBe(50);
    expect(label(20)).toBe('20');
  });

  test('of shares is in percent', () => {
    const { ticks, label } = axis([0.2, 0.4], 100, 0, { share: true });
    expect(ticks.map(label)).toEqual(['0 %', '25 %', '50 %', '75 %', '100 %']);
  });

  test('copes with one value, with none, and with small steps', () => {
    expect(Number.isFinite(axis([5], 0, 1).position(5))).toBe(true);
    expect(axis([0, 1, 2], 0, 1, { tight: true, ticks: 6, whole: true }).ticks).toEqual([0, 1, 2]);
    expect(Number.isFinite(axis([], 0, 1).position(0))).toBe(true);
    expect(axis([0, 0.004], 0, 1).ticks.map(axis([0, 0.004], 0, 1).label)).toContain('0.002');
  });
});

test('a chart draws what is finite and leaves out the rest', () => {
  const { text } = charts([
    {
      title: 't',
      x: 'x',
      y: 'loss',
      series: [
        {
          name: 'a',
          points: [
            [0, NaN],
            [1, 2],
            [2, 3],
          ],
        },
        { name: 'b', points: [] },
      ],
    },
  ]);
  expect(text).not.toContain('NaN');
  expect(text.match(/class="line/g)).toHaveLength(1);
});

test('a name has one colour in all charts of a page, which no other has', () => {
  const chartOf = (...names: string[]) => ({
    ...{ title: 't', x: 'x', y: 'loss' },
    series: names.map((name): Chart['series'][number] => ({
      name,
      points: [
        [0, 1],
        [1, 2],
      ],
    })),
  });
  const { text } = charts([chartOf('a', 'b', 'c'), chartOf('c', 'd'), chartOf('d', 'e', 'a')]);
  const colours = [...text.matchAll(/class="line s(\d)" d="[^"]*"><title>(\w)/g)].map(
    ([, hue, name]) => `${name}${hue}`,
  );
  expect(colours).toEqual(['a0', 'b1', 'c2', 'c2', 'd3', 'd3', 'e4', 'a0']);
});

test('percents are whole, except next to all and nothing', () => {
  expect([0, 0.0004, 0.004, 0.5, 0.996, 0.9999, 1].map(percent)).toEqual([
    '0',
    '0.1',
    '0.4',
    '50',
    '99.6',
    '99.9',
    '100',
  ]);
});
