import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verifier } from '@gyre/sandbox';
import type { JudgeOptions } from '../../family/judgement.js';
import { judge } from './judge.js';
import { withAnswerJudge } from './withAnswerJudge.js';
import { ChatCompletionsDouble } from './serviceDouble/chatCompletions.test.fixture.js';

let double: ChatCompletionsDouble;
const options = (more: Partial<JudgeOptions> = {}): JudgeOptions => ({
  url: double.url,
  model: 'some-model',
  retries: 0,
  ...more,
});
const judged = { question: 'When was it founded?', reference: '1843', answer: 'in eighteen forty-three' };

beforeAll(async () => {
  double = await ChatCompletionsDouble.start();
});
afterAll(() => double.stop());

describe('the judge', () => {
  test('sends question, reference and answer to the model of the endpoint', async () => {
    double.reply('CORRECT');
    expect(await judge(judged, options({ apiKey: 'a-key' }))).toEqual({ correct: true, text: 'CORRECT' });
    const [request] = double.requests;
    expect(request).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer a-key',
      body: { model: 'some-model' },
    });
    expect(JSON.parse(request?.body.messages[1]?.content ?? '')).toEqual(judged);
  });

  test.each([
    ['INCORRECT', false],
    ['correct.', true],
    ['The reference is CORRECT, the answer names another year. **Incorrect**', false],
  ])('takes the last word of %s', async (text, correct) => {
    double.reply(text);
    expect(await judge(judged, options())).toEqual({ correct, text });
  });

  test('asks again where a reply is no verdict', async () => {
    double.reply('I cannot say.', 'CORRECT');
    expect(await judge(judged, options())).toMatchObject({ correct: true });
    expect(double.requests).toHaveLength(2);
  });

  test('gives no verdict where none comes, in time, from a service that works', async () => {
    const failing = (code: string, field: string) =>
      expect.objectContaining({ code, detail: expect.objectContaining({ field }) as unknown });
    double.reply('Perhaps.');
    await expect(judge(judged, options())).rejects.toEqual(failing('infra', 'model'));
    expect(double.requests).toHaveLength(3);
    double.reply({ status: 401 });
    await expect(judge(judged, options())).rejects.toEqual(failing('bad_input', 'apiKey'));
    double.reply({ status: 503 });
    await expect(judge(judged, options())).rejects.toEqual(failing('infra', 'url'));
    double.reply(null);
    await expect(judge(judged, options({ timeoutMs: 50 }))).rejects.toEqual(failing('infra', 'url'));
    double.reply({ body: '{"choices":[]}' });
    await expect(judge(judged, options())).rejects.toEqual(failing('infra', 'url'));
  });
});

describe('a judged run', () => {
  const ended = (success: boolean, answer: string | null): Verifier => ({
    task: {} as Verifier['task'],
    step: async () => ({ reward: success ? 1 : 0, done: true }),
    verdict: async () => ({
      success,
      score: success ? 1 : 0,
      source: 'verifier',
      evidence: { question: judged.question, reference: judged.reference, answer },
    }),
    oracle: async () => ({ actions: [] }),
  });

  test('asks about an answer that is not the reference, once, and pays for it where it is right', async () => {
    double.reply('CORRECT');
    const run = withAnswerJudge(ended(false, judged.answer), options());
    expect(await run.step({ answer: judged.answer })).toEqual({ reward: 1, done: true });
    expect(await run.step()).toEqual({ reward: 0, done: true });
    expect(await run.verdict()).toMatchObject({
      success: true,
      score: 1,
      source: 'judge',
      evidence: { judgement: 'CORRECT' },
    });
    expect(double.requests).toHaveLength(1);
  });

  test('pays nothing for what the judge finds wrong', async () => {
    double.reply('INCORRECT');
    const run = withAnswerJudge(ended(false, '1844'), options());
    expect(await run.step({ answer: '1844' })).toEqual({ reward: 0, done: true });
    expect(await run.verdict()).toMatchObject({ success: false, score: 0, source: 'judge' });
  });

  test('asks nothing where the verifier is content or there is no answer', async () => {
    double.reply('CORRECT');
    for (const inner of [ended(true, '1843'), ended(false, null), ended(false, '')]) {
      const run = withAnswerJudge(inner, options());
      const { reward } = await run.step({});
      const verdict = await run.verdict();
      expect(verdict).toMatchObject({ source: 'verifier', score: reward });
    }
    expect(double.requests).toHaveLength(0);
  });
});
