import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { judgeServer } from './double/judgeServer.js';
import { Recording } from './recording.js';
import { writeTrajectory } from './trajectory.js';
import { WebJudge } from './webJudge.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const code = { name: 'online-mind2web', program: path('./bridge.py'), python: 'python3' };
const clone = path('./double/clone');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-webjudge-'));
  for (const id of ['a1', 'b2']) {
    const task = { task_id: id, confirmed_task: `Do ${id}.`, website: 'https://example.org/', reference_length: 1 };
    const frame = { png: Buffer.from('png'), hash: '', size: { width: 8, height: 8 } };
    await writeTrajectory(folder, new Recording(task).finish({ frame, url: null }));
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function open(contents: (string | null)[], model = 'org/judge') {
  const server = await judgeServer(...contents);
  onTestFinished(server.close);
  const judgements = await mkdtemp(join(folder, 'judgements-'));
  const terms = { code, clone, judge: { url: server.url, model, apiKey: 'key' }, judgements, parallel: 2 };
  const judge = await WebJudge.open(terms);
  onTestFinished(() => judge.close());
  const file = join(judgements, `WebJudge_Online_Mind2Web_eval_${model}_score_threshold_3_auto_eval_results.json`);
  return { judge, server, file };
}

test("a clone's judge asks the server that is named, and its records are kept, one per task", async () => {
  const { judge, server, file } = await open(['Status: success', 'Status: failure']);
  expect(await judge.judge(folder, 'a1')).toEqual({
    success: true,
    keyPoints: '1. None',
    scores: [4],
    response: 'Status: success',
  });
  expect(await judge.judge(folder, 'b2')).toMatchObject({ success: false });
  expect(await judge.judge(folder, 'a1')).toMatchObject({ success: false });
  expect(server.requests[0]).toMatchObject({ authorization: 'Bearer key', body: { model: 'org/judge' } });
  const records = (await readFile(file, 'utf8')).trim().split('\n');
  expect(records.map((line) => JSON.parse(line) as object)).toMatchObject([
    { task_id: 'b2', predicted_label: 0 },
    { task_id: 'a1', predicted_label: 0, schema_version: 'online-mind2web-v2' },
  ]);
});

test.each([[null], [' ']])('an outcome of %j is an infrastructure error, not a failure', async (content) => {
  const { judge, file } = await open([content]);
  await expect(judge.judge(folder, 'a1')).rejects.toMatchObject({ code: 'infra', detail: { part: 'model_server' } });
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});

test('an exception of the official code is an infrastructure error', async () => {
  const { judge } = await open(['Status: success']);
  const broken = { code: 'infra', message: expect.stringContaining('FileNotFoundError') as string };
  await expect(judge.judge(folder, 'missing')).rejects.toMatchObject(broken);
  expect(await judge.judge(folder, 'a1')).toMatchObject({ success: true });
});

test.each([
  ['./double', /has no src\/run.py/],
  ['./double/oldClone', /older than the format/],
])('the clone %s is refused', async (name, message) => {
  const judge = { url: 'http://127.0.0.1:9/v1', model: 'm' };
  await expect(WebJudge.open({ code, clone: path(name), judge, parallel: 1 })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(message) as string,
    detail: { field: '--online-mind2web' },
  });
});
