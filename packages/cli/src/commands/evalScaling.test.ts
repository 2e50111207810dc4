import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeDouble } from '../eval/double/judgeDouble.js';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-scaling-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('success against the step budget and against attempts is one table, with curves', async () => {
  const output = join(directory, 'scaling.html');
  const { status, stdout, stderr } = await inProcess(
    ...['eval', '--family', 'maze', '--policy', 'oracle', '--episodes', '2', '--budgets', '1,40', '--best-of', '1,2'],
    ...['--discard', '--output', output, '--json'],
  );
  expect(status).toBe(0);
  const allSolved = { success: 1, low: expect.any(Number) as number, high: 1 };
  const none = { success: 0, low: 0, high: expect.any(Number) as number };
  const mazeResult = { family: 'maze', tasks: 2, judge: 'confidence', infraErrors: 0 };
  const { scaling, unjudged } = lastJson(stdout) as { scaling: object[]; unjudged: number };
  expect(scaling).toEqual([
    expect.objectContaining({ ...mazeResult, budget: 1, n: 1, chosen: none, any: none, mean: 0, turns: 1 }),
    expect.objectContaining({ ...mazeResult, budget: 1, n: 2, any: none, mean: 0, turns: 1 }),
    expect.objectContaining({ ...mazeResult, budget: 40, n: 1, chosen: allSolved, any: allSolved, mean: 1 }),
    expect.objectContaining({ ...mazeResult, budget: 40, n: 2, any: allSolved, mean: 1 }),
  ]);
  // The oracle samples no tokens.
  expect(unjudged).toBe(8);
  expect(scaling[1]).not.toHaveProperty('chosen');
  expect(stderr).toContain('8 attempts without a judgement');
  const page = await readFile(output, 'utf8');
  expect(page).toContain('Success against the step budget');
  expect(page).toContain('Success against attempts');
});

const completion = (content: string) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });

test.each([
  ['refuses the key', 401, '{"error":{"message":"wrong key"}}'],
  ['refuses the request', 400, '{"error":{"message":"no images here"}}'],
  ['knows no such address', 404, 'nothing here'],
  ['fails', 500, '{"error":{"message":"out of memory"}}'],
  ['answers with a page', 200, '<html>sign in</html>'],
  ['answers with another form', 200, '{"verdict":"good"}'],
  ['gives no verdict', 200, completion('I would rather not say.')],
])(
  'a judge that %s ends no run, and the table is printed',
  async (_, status, body) => {
    const judge = await judgeDouble({ status, body });
    try {
      const lake = join(directory, `lake-${status}-${body.length}`);
      const ran = await inProcess(
        ...['eval', '--family', 'click', '--policy', 'oracle', '--episodes', '1', '--best-of', '2'],
        ...['--judge', judge.url, '--directory', lake],
      );
      expect(judge.requests).toBeGreaterThan(0);
      expect(ran.stdout).toMatch(/click/);
      expect(ran.stdout + ran.stderr).toContain('2 attempts without a judgement');
      expect(ran.status).toBe(0);
    } finally {
      judge.close();
    }
  },
  60_000,
);

test.each([
  [['--budgets', '10,5'], '--budgets', 'must be ascending whole numbers of at least 1'],
  [['--best-of', '0'], '--best-of', 'must be ascending whole numbers of at least 1'],
  [['--best-of', '1,4', '--greedy'], '--greedy', 'identical'],
  [['--best-of', '4', '--judge', 'somebody'], '--judge', '--judge is "somebody"'],
  [['--best-of', '4', '--judge', 'http://127.0.0.1:1/v1'], '--judge', 'no model server answers'],
  [['--best-of', '4', '--judge', 'http://127.0.0.1:1/v1', '--discard'], '--discard', 'reads screenshots from the lake'],
  [['--judge', 'http://127.0.0.1:1/v1'], '--judge', '--judge needs several attempts'],
  [['--output', 'a.html'], '--output', '--output needs --budgets or --best-of'],
  [['--repeat', '2', '--best-of', '4'], '--repeat', 'has no effect on'],
  [['--repeat', '2', '--greedy'], '--greedy', 'identical'],
  [['--budgets', '5', '--policy', 'random', '--record', 'a.json'], '--record', 'one result per family'],
])('refuses %j', async (args, field, message) => {
  const { status, stdout } = await inProcess('eval', '--family', 'maze', ...args, '--json');
  expect(status).not.toBe(0);
  const { error } = lastJson(stdout) as { error: { field: string; message: string } };
  expect(error.field).toBe(field);
  expect(error.message).toContain(message);
});
