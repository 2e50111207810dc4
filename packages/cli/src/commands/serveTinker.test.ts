import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type Architecture,
  contextTokens,
  EmbeddedEngine,
  nativePieces,
  NativeTokenEngine,
  TinkerClient,
  TinkerEngine,
  vocabularyHash,
  vocabularyOf,
} from '@gyre/engine';
import { pixels } from '@gyre/agent';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bin } from '../inProcess.test.fixture.js';

const architecture: Architecture = {
  ...{ screenshots: 1, width: 16, heads: 2, imageLayers: 0, decoderLayers: 1, stem: 8 },
  role: 'policy',
};
const size = { width: 32, height: 32 };

let directory: string;
let native: EmbeddedEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-serve-tinker-'));
  native = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
  await native.save(join(directory, 'policy.safetensors'));
});
afterAll(async () => {
  await native.close();
  await rm(directory, { recursive: true });
});

test('gyre serve tinker trains the weights of --checkpoint for a client with the token', async () => {
  const [checkpoint, output] = [join(directory, 'policy.safetensors'), join(directory, 'weights')];
  const token = 'a-token-of-this-test';
  const args = [bin, 'serve', 'tinker', '--checkpoint', checkpoint, '--output', output, '--token', token, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const [listening] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
        if (listening !== undefined) resolve(listening);
      });
      void exit.then(([code]) => reject(new Error(`ended with ${String(code)}`)));
    });
    await expect(TinkerClient.open({ url })).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'apiKey' } });
    const client = await TinkerClient.open({ url, apiKey: token, samplesPictures: true });
    const model = { baseModel: 'nano', rank: 0 };
    const engine = await TinkerEngine.open({ client, model, vocabulary: vocabularyHash, pictures: true });
    const background = { r: 200, g: 20, b: 20 };
    const png = await sharp({ create: { ...size, channels: 3, background } })
      .png()
      .toBuffer();
    const tokens = contextTokens(vocabularyOf(size), 'press "OK"', []);
    const input = nativePieces({ pictures: [{ hash: 'red', png, size }], tokens, clock: 0 });
    const [sampled] = await engine.sample([{ input, maxTokens: 100, temperature: 1, seed: 1 }]);
    const whole = [...input, { tokens: sampled?.tokens ?? [] }];
    const length = whole.reduce((sum, piece) => sum + ('tokens' in piece ? piece.tokens.length : piece.length), 0);
    const datum = { input: whole, weights: new Array<number>(length - 1).fill(0) };
    const direct = new NativeTokenEngine({ engine: native, pixels });
    const { logprobs } = await engine.forward([datum]);
    expect(logprobs).toEqual((await direct.forward([datum])).logprobs);
    const count = sampled?.tokens.length ?? 0;
    for (const [i, logprob] of sampled!.logprobs.entries())
      expect(logprob).toBeCloseTo(logprobs[0]!.slice(-count)[i]!, 4);
    await engine.save('mine');
    expect((await readdir(output)).sort()).toEqual([
      'initial.safetensors',
      expect.stringMatching(/^model_\w+\.mine\.s/),
    ]);
    await engine.close();
  } finally {
    child.kill('SIGINT');
  }
  expect((await exit)[0]).toBe(130);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toHaveProperty('url');
});
