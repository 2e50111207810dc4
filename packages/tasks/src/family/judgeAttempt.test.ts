import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatCompletionsDouble } from '../browsing/answers/serviceDouble/chatCompletions.test.fixture.js';
import { type JudgedAttempt, judgeAttempt } from './judgeAttempt.js';

let double: ChatCompletionsDouble;
beforeAll(async () => {
  double = await ChatCompletionsDouble.start();
});
afterAll(() => double.stop());

const options = () => ({ url: double.url, model: 'some-model', retries: 0 });
const attempt: JudgedAttempt = {
  instruction: 'press "ok"',
  turns: [[{ type: 'click', point: { x: 0.5, y: 0.25 } }], [{ type: 'finished' }]],
  screenshots: Array.from({ length: 7 }, (_, number) => new Uint8Array([number])),
};

test('a judge is told the task and the actions, and is shown the last five screenshots', async () => {
  double.reply('90');
  expect(await judgeAttempt(attempt, options())).toEqual({ likely: 0.9, text: '90' });
  const content = double.requests[0]?.body.messages[1]?.content as unknown as {
    text?: string;
    image_url?: { url: string };
  }[];
  expect(JSON.parse(content[0]?.text ?? '')).toEqual({ task: attempt.instruction, turns: attempt.turns });
  expect(content.slice(1).map((part) => part.image_url?.url)).toEqual(
    ['Ag==', 'Aw==', 'BA==', 'BQ==', 'Bg=='].map((bytes) => `data:image/png;base64,${bytes}`),
  );
});

test.each([
  ['0', 0],
  ['The form is filled in, in 3 of 3 fields. 100', 1],
  ['**85/100**.', 0.85],
  ['I say 40 %', 0.4],
])('the last number of %j is its verdict', async (text, likely) => {
  double.reply(text);
  expect(await judgeAttempt(attempt, options())).toEqual({ likely, text });
});

test('a reply without a percentage is asked for again, and is never a verdict', async () => {
  double.reply('It looks well.', '0.9', '101', '55');
  await expect(judgeAttempt(attempt, options())).rejects.toMatchObject({ code: 'infra', detail: { field: 'model' } });
  expect(double.requests).toHaveLength(3);
  double.reply('Perhaps.', '55');
  expect(await judgeAttempt(attempt, options())).toMatchObject({ likely: 0.55 });
});
