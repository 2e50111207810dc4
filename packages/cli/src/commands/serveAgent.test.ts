import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeDouble } from '../eval/double/judgeDouble.js';
import { bin, inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-agent-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Calls the same command in every turn. */
const content =
  '<thinkt>look</thinkt><seed:tool_call><function=execute_bash><parameter=command>ls</parameter></function></seed:tool_call>';
const body = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 10 },
});

async function play(answer: (number: number) => object) {
  const model = await judgeDouble({ status: 200, body });
  const args = [bin, 'serve', 'agent', '--model', model.url, '--model-name', 'double', '--directory', directory];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const messages: Record<string, unknown>[] = [];
  child.stdin.write('{"instruction": "list the files", "turns": 2}\n');
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Record<string, unknown>;
    messages.push(message);
    if ('run' in message) child.stdin.write(`${JSON.stringify(answer(messages.length))}\n`);
  }
  if (child.exitCode === null) await once(child, 'close');
  model.close();
  return { messages, status: child.exitCode };
}

test('plays the instruction with commands that the harness runs', async () => {
  const { messages, status } = await play((number) => ({ stdout: `file-${number}\n`, stderr: '', code: 0 }));
  expect(status).toBe(0);
  const command = expect.stringMatching(/\nls$/) as string;
  expect(messages).toMatchObject([
    { run: { command, seconds: 120 } },
    { run: { command } },
    {
      end: {
        end: { state: 'out_of_budget' },
        tokens: { prompt: 200, cached: 0, answer: 20 },
        trajectory: {
          agent: { name: 'gyre', model_name: 'double' },
          steps: [
            { message: 'list the files' },
            { observation: { results: [{ content: 'file-1\n(exit code 0)' }] }, metrics: { prompt_tokens: 100 } },
            { observation: { results: [{ content: 'file-2\n(exit code 0)' }] } },
          ],
        },
      },
    },
  ]);
});

test('ends with an infrastructure error where the machine fails', async () => {
  const { messages, status } = await play(() => ({ error: 'the container is gone' }));
  expect(status).toBe(1);
  const message = expect.stringContaining('the container is gone') as string;
  expect(messages.at(-1)).toMatchObject({ end: { end: { state: 'infra_error', message } } });
});

test('needs a model', async () => {
  const { status, stdout } = await inProcess('serve', 'agent', '--json');
  expect(status).not.toBe(0);
  expect(lastJson(stdout)).toMatchObject({ error: { field: '--model' } });
});
