import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointPolicy, pixels, readingPolicy, serveModel } from '@gyre/agent';
import { EmbeddedEngine, loadPolicyCheckpoint } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';
import { openNative } from '../policies/policies.js';

const architecture = {
  width: 32,
  heads: 2,
  layers: 2,
  decoderLayers: 1,
  cellLayers: 1,
  stem: 16,
  role: 'policy',
} as const;
const size = { width: 160, height: 160 };

let dir: string;
let checkpoint: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-reads-'));
  checkpoint = join(dir, 'tiny.safetensors');
  const engine = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
  await engine.save(checkpoint);
  await engine.close();
});
afterAll(() => rm(dir, { recursive: true }));

async function episodesOf(folder: string, purpose: string): Promise<Episode[]> {
  const lake = await Lake.open(join(folder, 'lake'));
  const episodes: Episode[] = [];
  for await (const episode of lake.episodes({ purpose })) episodes.push(episode);
  await lake.close();
  return episodes;
}

test('weights with a reader play from pixels', { timeout: 240_000 }, async () => {
  const few = ['--family', 'menu', '--episodes', '1', '--sessions', '1', '--browsers', '1', '--directory', dir];
  const { status, stdout } = await inProcess('eval', '--checkpoint', checkpoint, '--json', ...few);
  expect(status).toBe(0);
  expect(lastJson(stdout)).toMatchObject({ results: [{ family: 'menu', n: 1 }] });
  // Readings of training tasks are simulated only where they are trained on.
  const run = ['run', 'menu/train/1', '--checkpoint', checkpoint, '--directory', dir, '--json'];
  expect((await inProcess(...run)).status).toBe(0);
  for (const purpose of ['eval', 'run']) {
    const [episode] = await episodesOf(dir, purpose);
    expect(episode?.turns.length).toBeGreaterThan(0);
    for (const { reading } of episode!.turns) expect(reading?.reader).toMatch(/^own-/);
  }
});

test('they are asked about pages that a reader reads', { timeout: 240_000 }, async () => {
  const line = ['perception', '--checkpoint', checkpoint, '--size', '1280x720', '--pages', '1', '--json'];
  const { status, stdout } = await inProcess(...line);
  expect(status).toBe(0);
  const { results } = lastJson(stdout) as { results: { kind: string; n: number; unasked: number }[] };
  expect(results.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(10);
  for (const { kind, n, unasked } of results) expect(kind === 'transition' ? n : unasked).toBe(0);
});

test('they are trained as they are', { timeout: 480_000 }, async () => {
  const folder = join(dir, 'run');
  const settings = join(dir, 'settings.json');
  const ppo = { decisions: 8, minibatch: 4, epochs: 1, replay: { steps: 1, decisions: 2 } };
  await writeFile(settings, JSON.stringify({ sft: { demonstrations: 2 }, ppo }));
  const common = ['--settings', settings, '--directory', folder, '--family', 'menu', '--sessions', '2', '--json'];
  const tuned = await inProcess(
    'train',
    'sft',
    '--from',
    checkpoint,
    '--demonstrations',
    '2',
    '--minutes',
    '0.05',
    ...common,
  );
  expect(tuned.status).toBe(0);
  const trained = await inProcess('train', 'ppo', '--iterations', '1', ...common);
  expect(trained.status).toBe(0);
  const { checkpoint: weights } = lastJson(trained.stdout) as { checkpoint: string };
  expect((await loadPolicyCheckpoint(weights)).architecture).toEqual(architecture);
  for (const purpose of ['demonstration', 'ppo']) {
    const [episode] = await episodesOf(folder, purpose);
    expect(episode?.turns[0]?.reading?.reader).toBe('simulated');
  }
});

test.each<[string[], string]>([
  [['export', '--size', '160x160'], 'checkpoint'],
  [['eval', '--quantise', 'w8a8', '--discard'], '--quantise'],
  [['eval', '--screen-reader', 'nowhere', '--discard'], 'reader'],
])('%j is refused with them', async (line, field) => {
  const { status, stdout } = await inProcess(...line, '--checkpoint', checkpoint, '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field } });
});

test('an architecture can be chosen for random weights only', async () => {
  const line = ['train', 'sft', '--architecture', 'nano', '--directory', join(dir, 'none'), '--json'];
  const { status, stdout } = await inProcess(...line);
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field: 'architecture' } });
});

test(
  'their server reads the screens of a chat, and decides as the policy does here',
  { timeout: 240_000 },
  async () => {
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    const session = await pool.lease({ size });
    const shoot = async (text: string) => {
      await session.browser.open({ html: `<button style="margin:30px;font-size:18px">${text}</button>`, seed: 1 });
      return session.observe();
    };
    const frames = [await shoot('Apple'), await shoot('Banana')] as const;
    await pool.close();
    const native = await openNative({ checkpoint });
    const { engine, reader } = native;
    if (!reader) throw new Error('the weights have no reader');
    const server = await serveModel({ engine, reader, name: 'tiny' });
    try {
      const [before, now] = frames;
      const click = { type: 'click', point: { x: 0.42, y: 0.32 } } as const;
      const first = {
        index: 0,
        actions: [click],
        text: '<seed:tool_call><function=click><parameter=point><point>420 320</point></parameter></function></seed:tool_call>',
        reading: await reader.read({ pixels: await pixels(before), size }),
        observation: { screenshot: now.hash, size },
      };
      const context = {
        task: { instruction: 'click "Banana"', surfaces: ['screen' as const], screen: size, stepBudget: 5 },
        ...{ screenshots: [...frames], turns: [first], random: () => 0.5, episodeId: 'one' },
        start: { screenshot: before.hash, size },
      };
      const here = readingPolicy({ name: 'tiny', engine, reader, temperature: 0, thinks: false });
      const there = endpointPolicy({ url: server.url, model: 'tiny', thinking: 'none', minScreenshots: 5 });
      const [local, served] = [await here.decide(context), await there.decide(context)];
      expect(served.sample?.tokens).toEqual(local.sample?.tokens);
      expect(served.text).toBe(local.text);
      expect(served.sample?.logprobs).toEqual(local.sample?.logprobs);
      expect(local.reading?.lines.map(({ text }) => text)).toEqual(['Banana']);
      const alone = await there.decide({ ...context, screenshots: [now], start: { screenshot: now.hash, size } });
      expect(alone.sample?.logprobs).not.toEqual(served.sample?.logprobs);
    } finally {
      await server.close();
      await native.close();
    }
  },
);
