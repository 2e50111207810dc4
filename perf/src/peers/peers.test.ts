import { afterEach, expect, test, vi } from 'vitest';
import { runNodePeer } from './peerProcess.js';
import { peerTable } from './peerTable.js';
import { type PeerRow, compareCosts } from './peers.js';
import { runTorch } from './torch.js';
import type { PeerReply } from './trainer.js';

const request = { size: { width: 64, layers: 2, heads: 2 }, batch: 2, ms: 1 };
const script = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

const beginWith = (code: string) => vi.stubEnv('NODE_OPTIONS', `--import ${script(code)}`);
afterEach(() => vi.unstubAllEnvs());

function costOf(reply: PeerReply) {
  if (!('cost' in reply)) throw new Error(JSON.stringify(reply));
  return reply.cost;
}

test('jax-js and tfjs learn the same as gyre', async () => {
  const ours = costOf(await runNodePeer('gyre', request));
  expect(ours.losses).toHaveLength(3);
  expect(new Set(ours.losses).size).toBe(3);
  for (const peer of ['jax-js', 'tfjs'] as const) {
    const row = compareCosts(ours, await runNodePeer(peer, request));
    expect(row, peer).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string });
  }
});

test('a peer that is not installed says what to install', async () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (!/^@(jax-js|tensorflow)/.test(name)) return next(name, context);
    throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
  };`;
  beginWith(`import { register } from 'node:module'; register(${JSON.stringify(script(hooks))});`);
  const replies = {
    'jax-js': await runNodePeer('jax-js', request),
    tfjs: await runNodePeer('tfjs', request),
    libtorch: await runTorch(request, ['/nowhere/python3']),
  };
  const rows = Object.entries(replies).map(([name, reply]) => ({ name, threads: 1, batch: 2, ...reply }) as PeerRow);
  const { cells, remarks } = peerTable(rows);
  for (const [name, hint] of [
    ['jax-js', '@jax-js/jax'],
    ['tfjs', '@tensorflow/tfjs-backend-wasm'],
    ['libtorch', 'python3-torch'],
  ] as const) {
    expect(cells).toContainEqual([name, 'not installed']);
    expect(remarks).toContainEqual(expect.stringMatching(new RegExp(`^${name} is not installed: .*${hint}`)));
  }
});

test('a peer that dies does not stop the others', async () => {
  beginWith('process.stderr.write("out of luck"); process.exit(3)');
  expect(await runNodePeer('jax-js', request)).toEqual({ failed: 'ended with 3: out of luck' });
});

test('a peer that computes something else gets no times', () => {
  const ours = { version: '1.0.0', msPerStep: 10, inferenceMs: 1, losses: [6, 5, 4] };
  const theirs = (losses: number[]) => ({ cost: { version: '2.0.0', msPerStep: 25, inferenceMs: 3, losses } });
  expect(compareCosts(ours, theirs([6, 5, 4.00002]))).toMatchObject({ msPerStep: 25, ratio: 2.5, inferenceMs: 3 });
  expect(compareCosts(ours, theirs([6, 5, 4.002]))).toEqual({ failed: 'its losses differ: 6, 5, 4.002' });
  expect(compareCosts(ours, theirs([6, NaN, NaN]))).toHaveProperty('failed');
});
