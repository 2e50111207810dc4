import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let folder: string;
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-compare-'));
  const play = (policy: string, name: string, ...more: string[]) =>
    inProcess('eval', '--policy', policy, '--episodes', '3', '--directory', inFolder(name), ...more);
  await play('random', 'random', '--family', 'click,mail.star', '--repeat', '2');
  await play('oracle', 'oracle', '--family', 'click,mail.star,menu');
  await inProcess(
    'rollout',
    '--policy',
    'oracle',
    '--family',
    'click',
    '--episodes',
    '2',
    '--directory',
    inFolder('trained'),
  );
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

async function refused(...args: string[]) {
  const { status, stdout } = await inProcess('compare', ...args, '--json');
  expect(status).not.toBe(0);
  return (lastJson(stdout) as { error: { code: string; field: string; message: string; fix: string } }).error;
}

test('two evaluations are compared task by task, with files and what is new', async () => {
  const files = { html: inFolder('compared.html'), markdown: inFolder('compared.md') };
  const { status, stdout, stderr } = await inProcess(
    ...['compare', inFolder('random'), inFolder('oracle'), '--trained', inFolder('trained')],
    ...['--output', files.html, '--markdown', files.markdown, '--json'],
  );
  expect(status).toBe(0);
  const compared = lastJson(stdout) as Record<string, unknown>;
  expect(compared).toMatchObject({
    before: {
      policy: 'random',
      tasks: 6,
      attempts: 12,
      passAt: [
        { k: 1, tasks: 6 },
        { k: 2, tasks: 6 },
      ],
    },
    after: { policy: 'oracle', tasks: 9, attempts: 9, passAt: [] },
    overall: { tasks: 6, after: { success: 1, high: 1 } },
    families: [
      { name: 'click', tasks: 3 },
      { name: 'mail.star', tasks: 3 },
    ],
    novelty: [
      { name: 'new instances', tasks: 3 },
      { name: 'new families', tasks: 3 },
    ],
    unpaired: { onlyBefore: [], onlyAfter: ['menu/test/0', 'menu/test/1', 'menu/test/2'], changed: [] },
  });
  expect(stderr).toContain(`3 tasks are only in ${inFolder('oracle')}: menu/test/0`);
  for (const file of Object.values(files)) {
    const text = await readFile(file, 'utf8');
    for (const part of ['click', 'new families', 'pass^k', 'failed → passed']) expect(text).toContain(part);
  }
});

test('a run can be part of a lake', async () => {
  const { status, stdout } = await inProcess(
    ...['compare', `${inFolder('random')},${inFolder('oracle')}:policy=oracle`, `${inFolder('oracle')}:split=test`],
    ...['--family', 'men*', '--json'],
  );
  expect(status).toBe(0);
  expect(lastJson(stdout)).toMatchObject({
    overall: { tasks: 3, difference: { mean: 0 }, p: 1 },
    flips: { gained: [], lost: [] },
  });
});

test('an evaluation that cannot be told apart, or is not there, is refused with what to choose', async () => {
  const both = `${inFolder('random')},${inFolder('oracle')}`;
  const ambiguous = await refused(both, inFolder('oracle'));
  expect(ambiguous.message).toContain('several policies');
  expect(ambiguous.fix).toContain(`${both}:policy=oracle`);
  expect((await refused(inFolder('trained'), inFolder('oracle'))).message).toContain('no evaluation');
  expect((await refused(inFolder('nowhere'), inFolder('oracle'))).message).toContain('no lake');
  expect((await refused(`${inFolder('oracle')}:family=menu`, inFolder('oracle'))).field).toBe('before');
  expect((await refused(inFolder('oracle'), `${inFolder('oracle')}:split=exam`)).field).toBe('after');
});

test('a damaged lake is one error, not another result', async () => {
  await cp(inFolder('oracle'), inFolder('damaged'), { recursive: true });
  const episodes = join(inFolder('damaged'), 'lake', 'episodes');
  const [name = ''] = (await readdir(episodes)).filter((file) => file.endsWith('.parquet'));
  const bytes = await readFile(join(episodes, name));
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(join(episodes, name), bytes);
  const error = await refused(inFolder('random'), inFolder('damaged'));
  expect(error).toMatchObject({ code: 'corrupt', field: inFolder('damaged') });
  expect(error.message).toContain(name);
});
