import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decrypt } from './cipher.js';
import type { Grade } from './grading.js';
import { BrowseCompResults, type Language } from './results.js';

async function written<T>(language: Language, read: (results: BrowseCompResults, folder: string) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-browsecomp-'));
  try {
    return await read(new BrowseCompResults({ language, folder, player: 'http://model' }), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const graded = (index: number, correct: Grade['correct'], confidence = '80%') => ({
  index,
  question: { topic: 'years', question: `question ${index}`, answer: '1924', canary: 'key' },
  response: `Exact Answer: ${index}`,
  grade: { correct, answer: String(index), confidence },
});

test('rows have the order of the questions, the latest attempt, and no readable text', () =>
  written('zh', async (results, folder) => {
    await Promise.all([graded(1, 'no'), graded(0, 'yes'), graded(1, 'none')].map((each) => results.add(each)));
    const text = await readFile(join(folder, 'output_data', 'http_model', 'infer.jsonl'), 'utf8');
    expect(text).not.toMatch(/question \d|Exact Answer|1924/);
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(rows.map((row) => decrypt(row.Question!, row.canary!))).toEqual(['question 0', 'question 1']);
    expect(rows.map((row) => row.eval_result)).toMatchObject([
      [{ is_correct: 'yes', model_extracted_confidence: '80%' }],
      [{ is_correct: '' }],
    ]);
    expect(results.lines()).toEqual([
      'graded answers: 2, accuracy 50.0 %, calibration error 30.0 %, 1 without a verdict of the grader',
    ]);
  }));

test("the English metrics are those of simple_evals, with the grader's verdicts", () =>
  written('en', async (results, folder) => {
    expect(results.lines()).toEqual([]);
    for (const [index, correct] of (['yes', 'no', 'no', 'yes'] as const).entries())
      await results.add(graded(index, correct));
    const metrics = JSON.parse(await readFile(join(folder, 'browsecomp_http_model.json'), 'utf8')) as object;
    expect(metrics).toMatchObject({ is_correct: 0.5, 'is_correct:std': 0.5, is_incorrect: 0.5, score: 0.5 });
    expect(results.lines()[0]).toMatch(/^graded answers: 4, accuracy 50\.0 %; .*group\(0\)/);
  }));

test('nothing is written without a folder', async () => {
  const results = new BrowseCompResults({ language: 'en', player: 'x' });
  await results.add(graded(0, 'yes'));
  expect(results.lines()).toHaveLength(1);
});
