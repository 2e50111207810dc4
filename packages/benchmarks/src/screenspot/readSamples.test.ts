import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGroundingSamples } from './readSamples.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-screenspot-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const pro = {
  ...{ id: 'word_1', img_filename: 'word/1.png', bbox: [10, 20, 30, 50], img_size: [3840, 2160] },
  ...{ instruction: 'open the file', instruction_cn: '打开', ui_type: 'icon', platform: 'windows' },
  ...{ application: 'word', group: 'Office' },
};
const v2 = {
  ...{ img_filename: 'pc_1.png', bbox: [10, 20, 30, 50], instruction: 'close it' },
  ...{ data_type: 'text', data_source: 'macos' },
};
const osworld = {
  ...{ id: 'A-0', image_path: 'A.png', image_size: [1920, 1080], instruction: 'click it', box_type: 'bbox' },
  box_coordinates: [1.5, 2, 30, 40],
};

test('reads ScreenSpot-Pro, whose boxes are corners', async () => {
  await write('pro/annotations/word_windows.json', [pro]);
  expect(await readGroundingSamples(join(folder, 'pro'))).toEqual([
    {
      ...{ id: 'word_1', file: 'word_windows', picture: join(folder, 'pro/images/word/1.png') },
      ...{ size: { width: 3840, height: 2160 }, instruction: 'open the file' },
      target: { kind: 'box', box: [10, 20, 30, 50] },
      ...{ uiType: 'icon', platform: 'windows', application: 'word', groups: ['Office'] },
    },
  ]);
});

test('reads ScreenSpot and ScreenSpot-v2, whose boxes have sides', async () => {
  await write('v2/screenspot_web_v2.json', [v2]);
  const file = await write('v2/screenspot_desktop.json', [v2]);
  const samples = await readGroundingSamples(join(folder, 'v2'));
  expect(samples.map(({ groups, picture }) => [...groups, picture])).toEqual([
    ['desktop', join(folder, 'v2/screenspot_imgs/pc_1.png')],
    ['web', join(folder, 'v2/screenspotv2_image/pc_1.png')],
  ]);
  expect(samples[0]).toMatchObject({
    ...{ id: 'screenspot_desktop_0', target: { kind: 'box', box: [10, 20, 40, 70] } },
    ...{ uiType: 'text', platform: 'macos' },
  });
  expect(samples[0]).not.toHaveProperty('size');
  expect(await readGroundingSamples(file)).toEqual([samples[0]]);
});

test('reads OSWorld-G, its polygons, refusals and classes', async () => {
  const polygon = { ...osworld, id: 'B-0', box_type: 'polygon', box_coordinates: [0, 0, 9, 0, 9, 9] };
  const refusal = { ...osworld, id: 'C-0', box_type: 'refusal', box_coordinates: [-1, -1, -1, -1] };
  await write('g/OSWorld-G.json', [osworld, polygon, refusal]);
  const refined = await write('g/OSWorld-G_refined.json', [osworld]);
  const classified = { text_matching: [{ id: 'A-0' }], refusal: [{ id: 'C-0' }], fine: [{ id: 'A-0' }] };
  await write('g/classification_result.json', { classified });
  const samples = await readGroundingSamples(join(folder, 'g'));
  expect(samples.map(({ target, groups }) => ({ target, groups }))).toEqual([
    { target: { kind: 'box', box: [1.5, 2, 31.5, 42] }, groups: ['text_matching', 'fine'] },
    {
      target: {
        kind: 'polygon',
        corners: [
          { x: 0, y: 0 },
          { x: 9, y: 0 },
          { x: 9, y: 9 },
        ],
      },
      groups: [],
    },
    { target: { kind: 'refusal' }, groups: ['refusal'] },
  ]);
  expect(await readGroundingSamples(refined)).toMatchObject([{ id: 'A-0', file: 'OSWorld-G_refined' }]);
});

test.each([
  ['a path upwards', { ...pro, img_filename: '../1.png' }, '0.img_filename'],
  ['an absolute path', { ...pro, img_filename: '/etc/passwd' }, '0.img_filename'],
  ['three numbers', { ...pro, bbox: [1, 2, 3] }, '0.bbox'],
  ['no size', { ...pro, img_size: [0, 10] }, '0.img_size'],
  ['another type', { ...pro, ui_type: 'image' }, '0.ui_type'],
])('refuses %s', async (_, sample, field) => {
  const file = await write('bad/annotations/a.json', [sample]);
  await expect(readGroundingSamples(file)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(field) as string,
    detail: { field: '--screenspot' },
  });
});

test('refuses a box or polygon of OSWorld-G without its numbers', async () => {
  for (const change of [{ box_coordinates: [1, 2] }, { box_type: 'polygon', box_coordinates: [1, 2, 3, 4, 5] }]) {
    const file = await write('bad/OSWorld-G.json', [{ ...osworld, ...change }]);
    await expect(readGroundingSamples(file)).rejects.toMatchObject({
      message: expect.stringContaining('0.box_coordinates') as string,
    });
  }
});

test('refuses a folder without a set', async () => {
  for (const place of [folder, join(folder, 'missing')])
    await expect(readGroundingSamples(place)).rejects.toMatchObject({ code: 'bad_input' });
});

test('reads or refuses any file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('any/a.json', 'any/screenspot_web_v2.json', 'any/OSWorld-G.json'),
      fc.oneof(fc.string(), fc.json()),
      async (name, text) => {
        const file = await write(name, text);
        try {
          expect(await readGroundingSamples(file)).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toBeInstanceOf(GyreError);
          expect((error as GyreError).code).toBe('bad_input');
        }
      },
    ),
    { numRuns: 50 },
  );
});
