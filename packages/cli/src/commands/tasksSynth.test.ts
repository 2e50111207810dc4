import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnFormat } from '@gyre/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
let server: Server;
let address: string;
let answers: unknown[] = [];
let requests: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-synth-'));
  server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html');
      const press = `document.querySelector('p').textContent = 'Kept as ' + document.querySelector('input').value`;
      response.end(
        `<body style="margin:0"><button style="width:320px;height:100px" onclick="${press}">Keep</button><input value="draft"><p></p>`,
      );
      return;
    }
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      requests.push(body);
      const answer = answers.shift();
      const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  requests = [];
});

const recorded = (app: string) =>
  new URL(`../../../tasks/src/synthesis/recordedModel/${app}.json`, import.meta.url).pathname;

describe('gyre tasks synth', () => {
  test('makes tasks for a page by a server’s model, which has to do them itself', async () => {
    const t5 = turnFormat('t5', { width: 320, height: 240 });
    const task = (instruction: string, texts: string[]) => ({
      ...{ instruction, functions: ['type', 'keep'], steps: ['press Keep'], condition: { kind: 'shown', texts } },
    });
    const conversation = [
      { view: 'A button Keep and a field.', next: null },
      { fit: 'good', why: 'it keeps', functions: [{ name: 'keep', does: 'keeps the text', where: 'the button' }] },
      { tasks: [task('Keep the text that is there.', ['kept as DRAFT']), task('See the button there.', ['Keep'])] },
      { instruction: 'Keep the text "draft" by the button.', why: '' },
      { verifiable: true, why: 'the page says so' },
    ];
    answers = [
      ...conversation,
      t5.print({ actions: [{ type: 'finished' }] }),
      t5.print({ actions: [{ type: 'click', point: { x: 0.5, y: 0.2 } }] }),
    ];
    const [out, record] = [join(directory, 'page.jsonl'), join(directory, 'page.json')];
    const { status, stdout } = await inProcess(
      ...['tasks', 'synth', '--url', `${address}/`, '--model', `${address}/v1`, '--model-name', 'double'],
      ...['--size', '320x240', '--count', '2', '--tries', '2', '--out', out, '--record', record, '--json'],
    );
    expect(status).toBe(0);
    expect(lastJson(stdout)).toMatchObject({
      recorded: false,
      funnel: { views: 1, composed: 2, lost: { trueAtStart: 1 }, kept: 1 },
      tasks: [
        {
          instruction: 'Keep the text "draft" by the button.',
          proof: { policy: 'double', tries: 2, successes: 1 },
          provenance: { model: 'double', recorded: false },
        },
      ],
    });
    expect(requests).toHaveLength(7);
    expect(requests[0]).toContain('data:image/png;base64,');
    // The policy must not see the verifier's state.
    expect(requests.slice(5).join()).not.toContain('kept as DRAFT');
    expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1);
    const recording = JSON.parse(await readFile(record, 'utf8')) as { model: string; answers: { answer: string }[] };
    expect(recording.model).toBe('double');
    expect(recording.answers.map(({ answer }) => JSON.parse(answer) as unknown)).toEqual(conversation);
    const played = await inProcess('tasks', 'list', '--tasks', out, '--json');
    expect(lastJson(played.stdout)).toMatchObject({ error: { field: 'tasks' } });
  });

  test('makes a pool from a recording, says so, and its tasks are evaluated', async () => {
    const out = join(directory, 'settings.jsonl');
    const { status, stdout } = await inProcess(
      ...['tasks', 'synth', '--app', 'settings', '--recorded', recorded('settings'), '--count', '5', '--out', out],
    );
    expect(status).toBe(0);
    expect(stdout).toContain('without a model');
    expect(stdout).toMatch(/tasks kept +3/);
    expect(await readFile(out.replace('.jsonl', '.unproved.jsonl'), 'utf8')).toContain('27.0');
    const played = await inProcess(
      ...['eval', '--tasks', out, '--policy', 'oracle', '--split', 'train', '--episodes', '3', '--discard', '--json'],
    );
    expect(played.status).toBe(0);
    expect(lastJson(played.stdout)).toMatchObject({ results: [{ family: 'synth.settings', n: 3, success: 1 }] });
  });

  test.each([
    [['--model', 'http://127.0.0.1:1/v1'], '--app'],
    [['--app', 'mail', '--url', 'http://127.0.0.1:1/', '--model', 'http://127.0.0.1:1/v1'], '--app'],
    [['--app', 'mail'], '--model'],
    [['--app', 'mail', '--model', 'http://127.0.0.1:1/v1', '--recorded', recorded('mail')], '--model'],
    [['--app', 'mail', '--recorded', 'nowhere.json'], '--recorded'],
    [['--app', 'mial', '--recorded', recorded('mail')], 'app'],
    [['--url', 'nowhere', '--recorded', recorded('mail')], 'url'],
  ])('refuses %j', async (args, field) => {
    const { status, stdout } = await inProcess(
      'tasks',
      'synth',
      ...args,
      '--out',
      join(directory, 'none.jsonl'),
      '--json',
    );
    expect(status).not.toBe(0);
    expect(lastJson(stdout)).toMatchObject({ error: { field, fix: expect.any(String) as string } });
  });
});
