import type { Task } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { BrowseCompResults } from './results.js';
import { browseCompVerifier } from './verifier.js';

const question = { topic: 'years', question: 'When?', answer: '1924', canary: 'key' };
const task: Task = {
  ...{ id: 'browsecomp.en/test/0', family: 'browsecomp.en', split: 'test', seed: 0, instruction: 'When?' },
  ...{ surfaces: ['screen'], screen: { width: 640, height: 480 }, stepBudget: 10 },
};

function opened() {
  const results = new BrowseCompResults({ language: 'en', player: 'check' });
  // Nothing listens there.
  const judge = { url: 'http://127.0.0.1:1/v1', model: 'none', retries: 0 };
  const grader = { language: 'en', template: '{question} {response} {correct_answer}', judge } as const;
  return { results, verifier: browseCompVerifier({ task, index: 0, question }, grader, results) };
}

test('an agent that gives no answer is incorrect, and no grader is asked', async () => {
  const { results, verifier } = opened();
  expect(await verifier.step()).toEqual({ reward: 0, done: false });
  expect(await verifier.step({ answer: ' ' })).toEqual({ reward: 0, done: true });
  expect(await verifier.verdict()).toMatchObject({ success: false, source: 'judge', evidence: { correct: 'no' } });
  expect(results.lines()[0]).toMatch(/^graded answers: 1, accuracy 0\.0 %/);
});

test('a grader that does not answer is an infrastructure error, not a score', async () => {
  const { results, verifier } = opened();
  await verifier.step({ answer: '1924' });
  await expect(verifier.verdict()).rejects.toMatchObject({ code: 'infra' });
  await expect(verifier.verdict()).rejects.toMatchObject({ code: 'infra' });
  expect(results.lines()).toEqual([]);
});
