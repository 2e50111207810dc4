import {
  EmbeddedEngine,
  EngineThread,
  Random,
  type Screenshot,
  acceptedTurn,
  pixelPolicyName,
  contextTokens,
  loadPolicyCheckpoint,
  sceneOf,
  vocabularyOf,
  weightsFile,
} from '@gyre/engine';
import type { Action } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyScene } from '../algorithms/tinyEngine.test.fixture.js';
import { bootstrapThoughts, isSame } from './thoughts.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
let engine: EngineThread;
let screen: Screenshot;

beforeAll(async () => {
  const file = weightsFile(pixelPolicyName);
  const { architecture } = await loadPolicyCheckpoint(file);
  engine = await EngineThread.start({ architecture, seed: 1 });
  await engine.load(file, { optimiser: false });
  const button = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160"><rect width="160" height="160" fill="#eee"/><rect x="40" y="60" width="80" height="24" rx="4" fill="#c22"/><text x="58" y="77" font-size="13" fill="#fff" font-family="DejaVu Sans">apple</text></svg>`;
  const pixels = await sharp(Buffer.from(button)).removeAlpha().raw().toBuffer();
  screen = { hash: 'button', pixels, size };
});
afterAll(() => engine.close());

const decision = (turn: number, action: Action, thought?: string) => ({
  ...{ family: 'click', turn, episode: 'one' },
  datum: {
    screenshots: [screen],
    sequences: [
      {
        tokens: contextTokens(vocabulary, 'click the red button', []),
        action: vocabulary.encode(action, thought),
        clock: 0,
      },
    ],
  },
});
const click = (x: number, y: number): Action => ({ type: 'click', point: { x, y } });

test('a thought is accepted if it leads to the recorded action; nothing else changes', async () => {
  const decisions = [
    // On the button, nothing, something else, and what already has a thought.
    ...[0.4, 0.45, 0.5, 0.55, 0.6].map((x, turn) => decision(turn, click(x, 0.45))),
    decision(5, click(0.97, 0.97)),
    decision(6, { type: 'wait' }),
    decision(7, click(0.5, 0.45), 'the button'),
  ];
  const terms = { share: 1, attempts: 6, temperature: 1 };
  const { data, thoughts, tried } = await bootstrapThoughts(engine, decisions, terms, { random: new Random(1) });
  expect(tried).toBe(7);
  expect(thoughts.length).toBeGreaterThanOrEqual(2);
  for (const { turn, thought, episode, policyVersion } of thoughts) {
    expect(turn).toBeLessThan(5);
    expect(episode).toBe('one');
    expect(policyVersion).toBe(thoughts[0]?.policyVersion);
    const [sequence] = data[turn]!.datum.sequences;
    const [was] = decisions[turn]!.datum.sequences;
    expect(vocabulary.decode(sequence!.action)).toEqual({ ...vocabulary.decode(was!.action), thought });
    expect(sequence!.action.slice(-was!.action.length)).toEqual(was!.action);
    expect(sequence).toMatchObject({ tokens: was!.tokens, clock: 0 });
  }
  const turns = new Set(thoughts.map(({ turn }) => turn));
  for (const [turn, kept] of data.entries()) if (!turns.has(turn)) expect(kept).toBe(decisions[turn]);

  const none = await bootstrapThoughts(engine, decisions, { ...terms, share: 0 }, { random: new Random(1) });
  expect(none).toEqual({ data: decisions, thoughts: [], tried: 0 });
});

test('a policy with a reader finds thoughts too, and all tokens that do the same remain accepted', async () => {
  const box = { x: 58, y: 65, width: 40, height: 14 };
  const lines = [{ text: 'apple', box, centres: [62, 70, 78, 86, 94] }];
  const shot = { ...screen, lines };
  const context = { instruction: 'click the red button', past: [] };
  const targets = [{ x: 40, y: 60, width: 80, height: 24 }];
  const labelled = (thought?: string) => {
    const accepted = acceptedTurn(sceneOf(shot, context), click(0.5, 0.45), { targets, thought, random: () => 0.9 });
    const sequences = [{ tokens: [], scene: context, clock: 0, ...accepted }];
    return { family: 'click', turn: 0, episode: 'one', datum: { screenshots: [shot], sequences } };
  };
  const reads = new EmbeddedEngine({ architecture: tinyScene, seed: 1, threads: 1 });
  const thoughtful = labelled('ok').datum;
  for (let step = 0; step < 40; step++) {
    await reads.forwardBackward({ data: [thoughtful], loss: { name: 'cross_entropy' } });
    await reads.optimStep({ learningRate: 1e-2 });
  }
  const plain = labelled();
  const terms = { share: 1, attempts: 8, temperature: 0.5 };
  const { data, thoughts } = await bootstrapThoughts(reads, [plain], terms, { random: new Random(1) });
  expect(thoughts).toMatchObject([{ episode: 'one', turn: 0 }]);
  const [was, sequence] = [plain.datum.sequences[0]!, data[0]!.datum.sequences[0]!];
  expect(sequence.action.slice(-was.action.length)).toEqual(was.action);
  expect(sequence.equals).toHaveLength(sequence.action.length);
  expect(sequence.equals.slice(-was.equals.length)).toEqual(was.equals);
  expect(sequence.scene).toBe(context);
  await reads.close();
}, 120_000);

test.each<[Action, Action, boolean]>([
  [click(0.5, 0.5), click(0.5, 0.5), true],
  [click(0.5, 0.5), click(0.54, 0.46), true],
  [click(0.5, 0.5), click(0.56, 0.5), false],
  [click(0.5, 0.5), { type: 'double_click', point: { x: 0.5, y: 0.5 } }, false],
  [{ type: 'type', text: 'a' }, { type: 'type', text: 'b' }, false],
  [
    { type: 'drag', start: { x: 0, y: 0 }, end: { x: 1, y: 1 } },
    { type: 'drag', end: { x: 0.99, y: 1 }, start: { x: 0, y: 0.01 } },
    true,
  ],
  [
    { type: 'drag', start: { x: 0, y: 0 }, end: { x: 1, y: 1 } },
    { type: 'drag', start: { x: 1, y: 1 }, end: { x: 0, y: 0 } },
    false,
  ],
  [{ type: 'scroll', direction: 'up' }, { type: 'scroll', direction: 'up', point: { x: 0.5, y: 0.5 } }, false],
])('%j and %j are the same: %s', (a, b, same) => {
  expect(isSame(a, b, size)).toBe(same);
  expect(isSame(b, a, size)).toBe(same);
});
