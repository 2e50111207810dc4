import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInstances, readInstances } from './instance.js';

const row = {
  instance_id: 'pallets__flask-5014',
  repo: 'pallets/flask',
  base_commit: '7ee9ceb71e868944a46e1ff00b506772a53a4f1d',
  problem_statement: 'Require a name.',
  image: 'swebench/sweb.eval.x86_64.pallets_1776_flask-5014:latest',
  eval_script: '#!/bin/bash\n',
  log_parser: 'parse_log_flask',
  eval_type: 'pass_and_fail',
  version: '2.3',
  FAIL_TO_PASS: '["tests/a.py::test_b"]',
  PASS_TO_PASS: [],
};

test('reads rows with any texts, as JSON lines and as a list', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  const rows = fc.array(fc.record({ problem_statement: text, patch: text }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(rows, (parts) => {
      const list = parts.map((part, index) => ({ ...row, ...part, instance_id: `a__b-${index}` }));
      const lines = list.map((each) => JSON.stringify(each)).join('\n');
      expect(parseInstances(lines, 'file')).toEqual(list);
      expect(parseInstances(`${JSON.stringify(list)}\n`, 'file')).toEqual(list);
    }),
  );
});

test('refuses any other text with one error', () => {
  const texts = fc.oneof(fc.string(), fc.json(), fc.constant(JSON.stringify({ ...row, repo: '../x' })));
  fc.assert(
    fc.property(texts, (text) => {
      expect(() => parseInstances(text, 'file')).toThrow(
        expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: '--swebench' }) }),
      );
    }),
  );
});

test.each([
  ['a folder as id', [{ ...row, instance_id: '..' }], /0\.instance_id/],
  ['an id with a slash', [{ ...row, instance_id: 'a/b' }], /0\.instance_id/],
  ['a row of an older data set', [{ ...row, eval_script: undefined }], /0\.eval_script/],
  ['a second row of the same id', [row, row], /pallets__flask-5014 twice/],
])('refuses %s', (_, rows, message) => {
  expect(() => parseInstances(JSON.stringify(rows), 'file')).toThrow(message);
});

test('names the file by its content', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-swebench-'));
  try {
    await writeFile(join(folder, 'a.jsonl'), `${JSON.stringify(row)}\n`);
    await writeFile(join(folder, 'b.jsonl'), `${JSON.stringify({ ...row, version: '2.2' })}\n`);
    const [a, b] = [await readInstances(join(folder, 'a.jsonl')), await readInstances(join(folder, 'b.jsonl'))];
    expect(a.hash).toMatch(/^[0-9a-f]{12}$/);
    expect(b.hash).not.toBe(a.hash);
    await expect(readInstances(join(folder, 'c.jsonl'))).rejects.toMatchObject({ code: 'bad_input' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
