import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context, Policy } from '@gyre/agent';
import { type AgentAction, GyreError } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerQuestions } from './grounding.js';

let folder: string;
let picture: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-grounding-'));
  picture = join(folder, 'wide.jpg');
  await sharp({ create: { width: 400, height: 100, channels: 3, background: 'white' } }).toFile(picture);
});
afterAll(() => rm(folder, { recursive: true }));

const player = (decide: (context: Context) => readonly AgentAction[]) => {
  const policy: Policy = {
    name: 'test',
    decide: (context) => Promise.resolve().then(() => ({ actions: decide(context), text: 'said' })),
  };
  return { policy, screenshots: 1 };
};
const options = { seed: 1, sessions: 2 };
const click = (x: number, y: number): AgentAction => ({ type: 'click', point: { x, y } });

test('asks once per question, with the picture as it is', async () => {
  const seen: string[] = [];
  const clicker = player(({ task, screenshots }) => {
    const { width, height } = screenshots[0]!.size;
    seen.push(`${task.instruction} ${width}x${height}`);
    return [{ type: 'wait' }, click(0.25, 0.5), click(0.75, 0.5)];
  });
  const answers = await answerQuestions(
    clicker,
    [
      { picture, instruction: 'one' },
      { picture, instruction: 'two' },
    ],
    options,
  );
  expect(seen.sort()).toEqual(['one 400x100', 'two 400x100']);
  const answer = { size: { width: 400, height: 100 }, point: { x: 0.25, y: 0.5 }, refused: false, text: 'said' };
  expect(answers).toEqual([answer, answer]);
});

test('scales pictures into a size, and points back', async () => {
  const sizes: object[] = [];
  // 400 x 100 px become 200 x 50 of 200 x 100.
  const clicker = player(({ task, screenshots }) => {
    sizes.push(screenshots[0]!.size);
    return [task.instruction === 'inside' ? click(0.5, 0.25) : click(0.5, 0.75)];
  });
  const questions = ['inside', 'margin'].map((instruction) => ({ picture, instruction }));
  const size = { width: 200, height: 100 };
  const answers = await answerQuestions(clicker, questions, { ...options, size });
  expect(sizes).toEqual([size, size]);
  expect(answers.map((answer) => answer?.point)).toEqual([
    { x: 0.5, y: 0.5 },
    { x: 0.5, y: 1.5 },
  ]);
  expect(answers[0]?.size).toEqual({ width: 400, height: 100 });
});

test.each<[AgentAction, boolean]>([
  [{ type: 'call_user' }, true],
  [{ type: 'finished', answer: 'This is infeasible.' }, true],
  [{ type: 'finished' }, false],
  [{ type: 'wait' }, false],
])('%j has no point', async (action, refused) => {
  const [answer] = await answerQuestions(
    player(() => [action]),
    [{ picture, instruction: 'a' }],
    options,
  );
  expect(answer).not.toHaveProperty('point');
  expect(answer).toMatchObject({ refused });
});

test('a model that does not answer is told apart, and leaves the others', async () => {
  const failing = player(({ task }) => {
    if (task.instruction !== 'a') return [click(0, 0)];
    throw new GyreError('infra', 'no answer', { part: 'model_server' });
  });
  const questions = ['a', 'b'].map((instruction) => ({ picture, instruction }));
  const answers = await answerQuestions(failing, questions, options);
  expect(answers).toMatchObject([{ failed: 'no answer', refused: false }, { point: { x: 0, y: 0 } }]);
});

test('an abort leaves questions out', async () => {
  const stop = new AbortController();
  const stopping = player(() => {
    stop.abort();
    return [click(0, 0)];
  });
  const questions = ['a', 'b', 'c'].map((instruction) => ({ picture, instruction }));
  const answers = await answerQuestions(stopping, questions, { ...options, sessions: 1, signal: stop.signal });
  expect(answers.slice(1)).toEqual([undefined, undefined]);
});

test('refuses what is no picture', async () => {
  const question = { picture: join(folder, 'missing.png'), instruction: 'a' };
  await expect(
    answerQuestions(
      player(() => []),
      [question],
      options,
    ),
  ).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('missing.png') as string,
  });
});
