import { Lake } from '@gyre/lake';
import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
const lakePath = (name: string) => join(directory, name);
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-exchange-'));
  const lake = await Lake.open(lakePath('lake'));
  const size = { width: 1, height: 1 };
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
  const observation = { screenshot: await lake.putScreenshot(Buffer.from(png, 'base64')), size };
  const writer = await lake.begin({
    ...{ id: 'one', policy: 'oracle', purpose: 'eval', seed: 1, startedAt: '2026-11-20T10:00:00Z', observation },
    task: {
      ...{ id: 'form/train/7', family: 'form', split: 'train', seed: 7, instruction: 'Wait.', screen: size },
      ...{ surfaces: ['screen'], stepBudget: 3 },
    },
  });
  await writer.append({ index: 0, actions: [{ type: 'wait' }], observation, reward: 0 });
  await writer.finish({ state: 'finished' });
  await lake.close();
});
afterAll(() => rm(directory, { recursive: true }));

describe('gyre lake', () => {
  test('exports episodes and imports them again', async () => {
    const from = ['lake', 'export', '--directory', directory, '--json', '--format'];
    const { status, stdout } = await inProcess(...from, 'atif', '--output', lakePath('atif'));
    expect([status, lastJson(stdout)]).toMatchObject([0, { episodes: 1, rows: 1, screenshots: 1, format: 'atif' }]);
    const file = lakePath(join('atif', '000001-one.json'));
    const into = await inProcess('lake', 'import', file, '--directory', lakePath('other'), '--json');
    expect([into.status, lastJson(into.stdout)]).toEqual([0, { imported: 1, known: 0, leftOut: [] }]);
    const none = await inProcess(...from, 'sft', '--output', lakePath('none'), '--successful');
    expect([none.status, lastJson(none.stdout)]).toMatchObject([1, { error: { code: 'bad_input' } }]);
  });

  test('prints one line for a damaged file, and for skipped documents', async () => {
    const step = (code: string) => ({ image: 'x.png', value: { code } });
    await writeFile(
      lakePath('raw.jsonl'),
      `${JSON.stringify({ task_id: 'a', instruction: 'Go.', traj: [step('wait()')] })}\n`,
    );
    const importing = [
      'lake',
      'import',
      lakePath('raw.jsonl'),
      '--format',
      'agentnet',
      '--directory',
      lakePath('third'),
    ];
    const missing = await inProcess(...importing);
    expect(missing.status).toBe(1);
    expect(missing.stdout).toContain(`(first: ${lakePath('raw.jsonl')}, line 1: traj.0.image: `);
    const screenshots = lakePath(join('atif', 'screenshots'));
    const [name = ''] = await readdir(screenshots);
    const line = { task_id: 'a', instruction: 'Go.', traj: [{ ...step('wait()'), image: name }] };
    await writeFile(lakePath('raw.jsonl'), JSON.stringify(line));
    const leftOut = await inProcess(...importing, '--images', screenshots);
    expect(leftOut.status).toBe(1);
    expect(leftOut.stdout).toContain('skipped: 1 with wait (first: ');
  });

  test('answers SQL as a table and as JSON', async () => {
    const statement = 'SELECT episode_id, turn_count, evidence, instruction AS long FROM episodes';
    const answer = await inProcess('lake', 'sql', statement, '--directory', directory);
    expect(answer.stdout).toMatch(/^episode_id +turn_count +evidence +long\n─+\none +1 +Wait\.\n$/);
    const json = await inProcess('lake', 'sql', 'FROM range(3)', '--rows', '2', '--directory', directory, '--json');
    const columns = [{ name: 'range', type: 'BIGINT' }];
    expect([json.status, lastJson(json.stdout)]).toEqual([0, { columns, rows: [[0], [1]], more: true }]);
  });

  test('checks a lake: exit status 1 until what is damaged has been set aside', async () => {
    const check = ['lake', 'check', '--directory', lakePath('hurt'), '--json'];
    await cp(lakePath('lake'), lakePath('hurt/lake'), { recursive: true });
    expect((await inProcess(...check)).status).toBe(0);
    const [name = ''] = await readdir(lakePath('hurt/lake/episodes'));
    await truncate(lakePath(`hurt/lake/episodes/${name}`), 100);
    const checked = await inProcess(...check);
    const file = `episodes/${name}`;
    expect([checked.status, lastJson(checked.stdout)]).toMatchObject([
      1,
      { episodes: 0, damaged: [{ file }], setAside: [] },
    ]);
    const mended = await inProcess(...check, '--repair');
    const damaged = [{ file, setAside: expect.stringMatching(/^damaged\//) as string }];
    expect([mended.status, lastJson(mended.stdout)]).toMatchObject([0, { damaged, setAside: { length: 1 } }]);
    expect((await inProcess(...check)).status).toBe(0);
  });

  test('prunes only with --yes', async () => {
    await cp(lakePath('lake'), lakePath('old/lake'), { recursive: true });
    const prune = ['lake', 'prune', '--directory', lakePath('old'), '--keep-episodes', '0', '--json'];
    const outcome = async (...args: string[]) => {
      const { status, stdout } = await inProcess(...prune, ...args);
      return { status, ...(lastJson(stdout) as object) };
    };
    const unchanged = { episodes: { before: 1, protected: 1, dropped: 0 }, screenshots: { before: 1, dropped: 0 } };
    expect(await outcome('--yes')).toMatchObject({ status: 0, ...unchanged, done: true });
    const dropped = { ...unchanged, episodes: { before: 1, protected: 0, dropped: 1 } };
    expect(await outcome('--protect', 'none')).toMatchObject({ status: 0, ...dropped, done: false });
    expect(await outcome('--protect', 'none', '--yes')).toMatchObject({ status: 0, ...dropped, done: true });
    expect(await outcome('--max-gb', '0.00000001')).toMatchObject({ status: 1, episodes: { before: 0 } });
  });

  test.each([
    [['sql', 'SELECT 1'], /^error: no lake at .*nowhere\/lake \(--directory: /, 1],
    [['check'], /^error: no lake/, 1],
    [['prune', '--keep-days', '-1'], /^error: --keep-days must be a number above 0/, 2],
    [['sql', ''], /^error: statement must not be empty/, 2],
  ])('%j of what is not there gets one clear line', async (args, message, expected) => {
    const { status, stdout, stderr } = await inProcess('lake', ...args, '--directory', lakePath('nowhere'));
    expect([status, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
    expect(await readdir(directory)).not.toContain('nowhere');
  });
});
