import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunksOf, tarOf, writeAdapter } from '../adapter/adapter.test.fixture.js';
import { adapterTensors, extractAdapter } from './adapterArchive.js';

let root: string;
let config: Buffer;
let weights: Buffer;
let tensors: string[];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gyre-adapter-'));
  const spec = { rank: 2, inputs: 300, outputs: 3, draw: () => 0.5 };
  const stored = await writeAdapter(join(root, 'a'), [
    { name: 'model.q_proj', ...spec },
    { name: 'model.v_proj', ...spec },
  ]);
  tensors = Object.keys(stored);
  config = await readFile(join(root, 'a', 'adapter_config.json'));
  weights = await readFile(join(root, 'a', 'adapter_model.safetensors'));
});
afterAll(() => rm(root, { recursive: true }));

const files = () => [
  { name: './', content: Buffer.alloc(0), type: '5' },
  { name: '././@PaxHeader', content: Buffer.from('28 mtime=1796022604.7460399\n'), type: 'x' },
  { name: './README.md', content: Buffer.from('LoRA') },
  { name: './adapter_config.json', content: config },
  { name: './adapter_model.safetensors', content: weights },
];

describe('adapterTensors', () => {
  it('lists the tensors of an adapter in an archive, gzipped or not', async () => {
    const tar = tarOf(files());
    expect(await adapterTensors(chunksOf(tar))).toEqual(tensors);
    expect(await adapterTensors(chunksOf(gzipSync(tar)))).toEqual(tensors);
  });

  it('refuses archives without weights, and other data', async () => {
    for (const data of [
      tarOf([{ name: 'config.json', content: Buffer.from('{}') }]),
      Buffer.from('not an archive'),
      Buffer.alloc(0),
      gzipSync(tarOf(files())).subarray(0, 60),
    ]) {
      await expect(adapterTensors(chunksOf(data))).rejects.toMatchObject({ code: 'corrupt' });
    }
  });
});

describe('extractAdapter', () => {
  it('stores both files, from chunks of any size, and leaves other files of the folder', async () => {
    const folder = join(root, 'stored');
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    for (const size of [1, 511, 100_000]) {
      for (const tar of [tarOf(files()), gzipSync(tarOf(files()))]) await extractAdapter(chunksOf(tar, size), folder);
      expect((await readdir(folder)).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors', 'notes.txt']);
      expect(await readFile(join(folder, 'adapter_model.safetensors'))).toEqual(weights);
      expect(await readFile(join(folder, 'adapter_config.json'))).toEqual(config);
    }
  });

  const configOf = (rank: number) => Buffer.from(config.toString().replace('"r":2', `"r":${rank}`));
  it.each([
    ['a truncated archive', () => tarOf(files()).subarray(0, 3_000), 'truncated'],
    ['the weights of a whole model', () => tarOf([{ name: 'model-1.safetensors', content: weights }]), 'whole model'],
    ['no configuration', () => tarOf(files().filter(({ content }) => content !== config)), 'adapter_config.json'],
    ['two configurations', () => tarOf([...files().slice(0, 4), ...files().slice(3)]), 'twice'],
    [
      'another rank',
      () => tarOf(files().map((file) => (file.content === config ? { ...file, content: configOf(4) } : file))),
      'rank',
    ],
    ['a large configuration', () => tarOf([{ name: 'adapter_config.json', content: Buffer.alloc(2 ** 21) }]), 'bytes'],
    [
      'a link',
      () => tarOf([...files().slice(0, 4), { name: 'adapter_model.safetensors', content: Buffer.alloc(0), type: '2' }]),
      'safetensors',
    ],
    ['a marker', () => tarOf([{ name: 'MARKER', content: Buffer.from('in GPU memory') }]), 'has no'],
  ])('refuses %s, and leaves no folder', async (_, archive, words) => {
    const folder = join(root, 'refused');
    const stored = extractAdapter(chunksOf(archive()), folder);
    await expect(stored).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(words) as string });
    expect(await readdir(root)).not.toContain('refused');
  });

  it('writes nothing outside the folder, whatever the names', async () => {
    const traps = ['../adapter_config.json', '/tmp/adapter_model.safetensors', '../../adapter_config.json'];
    const folder = join(root, 'deep', 'deeper');
    await mkdir(join(root, 'deep'));
    await extractAdapter(
      chunksOf(
        tarOf([
          { name: traps[0]!, content: config },
          { name: traps[1]!, content: weights },
        ]),
      ),
      folder,
    );
    expect(await readdir(join(root, 'deep'))).toEqual(['deeper']);
    expect((await readdir(folder)).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
  });

  it('throws only GyreErrors for damaged archives, and keeps the adapter of before', async () => {
    const folder = join(root, 'damaged');
    await extractAdapter(chunksOf(tarOf(files())), folder);
    const damages = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(damages, fc.boolean(), fc.integer({ min: 1, max: 9_999 }), async (bytes, isZipped, size) => {
        const archive = isZipped ? gzipSync(tarOf(files())) : tarOf(files());
        for (const [place, value] of bytes) archive[place % archive.length] = value;
        await extractAdapter(chunksOf(archive, size), folder).catch((error: unknown) => {
          expect(error).toMatchObject({ name: 'GyreError', code: 'corrupt' });
        });
        expect((await readdir(folder)).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
      }),
      { numRuns: 150 },
    );
  });
});
