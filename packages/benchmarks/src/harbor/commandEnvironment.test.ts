import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentAction, GyreError, type Task } from '@gyre/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, CommandEnvironment, split } from './commandEnvironment.js';

const frame = { png: Buffer.from('png'), hash: '0'.repeat(64), size: { width: 28, height: 28 } };
const task: Task = {
  ...{ id: 'free/dev/1', family: 'free', seed: 1, instruction: 'do it', stepBudget: 5 },
  ...{ split: 'dev', surfaces: ['screen'], screen: frame.size },
};

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gyre-command-')));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs commands as a harness does. */
function bash({ command, cwd, seconds }: Command) {
  const { stdout, stderr, status } = spawnSync('timeout', [String(seconds), 'bash', '-c', command], {
    encoding: 'utf8',
    cwd: cwd ?? folder,
  });
  return Promise.resolve({ stdout, stderr, code: status ?? 137 });
}

const environment = () => new CommandEnvironment({ task, frame, run: bash });
const run = (command: string, terms: object = {}): AgentAction => ({ type: 'execute_bash', command, ...terms });

async function outputs(actions: readonly AgentAction[], machine = environment()): Promise<string[]> {
  return (await machine.step(actions)).results.map(({ text }) => text);
}

test('offers the shell alone, without a verdict', async () => {
  const machine = environment();
  expect(await machine.reset()).toBe(frame);
  expect(machine.task.surfaces).toEqual(['shell']);
  expect(await machine.verdict()).toBeUndefined();
  const { done, observation } = await machine.step([{ type: 'finished' }]);
  expect({ done, observation }).toEqual({ done: true, observation: frame });
});

test('begins each command where the last one ended, however it ended', async () => {
  const machine = environment();
  const actions = [run('mkdir -p a/b; cd a; echo one >&2'), run('cd b; exit 3'), run('pwd; kill -9 $$'), run('pwd')];
  expect(await outputs(actions, machine)).toEqual([
    'one\n(exit code 0)',
    '(exit code 3)',
    `${folder}/a/b\n(exit code 137)`,
    `${folder}/a/b\n(exit code 0)`,
  ]);
});

test('ends a command for its time, and elides long outputs', async () => {
  const [late, long] = await outputs([run('sleep 10', { seconds: 0.2 }), run('seq 100000')]);
  expect(late).toMatch(/ended after 0\.2 s/);
  expect(long).toMatch(/\[\d+ characters omitted\]/);
  expect(long!.length).toBeLessThan(11_000);
});

test.each([
  ['a click', { type: 'click', point: { x: 0, y: 0 } }, 'no screen'],
  ['another tool', { type: 'jupyter', code: '1' }, 'no jupyter'],
  ['input for a command', run('y', { input: true }), 'nothing runs'],
  ['no command', run(' '), 'nothing runs'],
] as const)('refuses %s', async (_, action, words) => {
  const { results } = await environment().step([action, run('echo later')]);
  expect(results).toEqual([{ kind: 'refused', text: expect.stringContaining(words) as string }]);
});

test('passes faults of the machine on', async () => {
  const fault = new GyreError('infra', 'gone', { part: 'machine' });
  const machine = new CommandEnvironment({
    task,
    frame,
    run: () => Promise.reject(fault),
  });
  await expect(machine.step([run('true')])).rejects.toBe(fault);
});

test('finds the folder behind any output', () => {
  const path = fc.string().map((text) => `/${text.replaceAll('\u001e', '')}`);
  fc.assert(
    fc.property(fc.string(), path, (output, cwd) => {
      expect(split(`${output}\u001egyre-cwd:${cwd}`)).toEqual({ output, cwd });
    }),
  );
  fc.assert(
    fc.property(fc.string(), (output) => {
      expect(split(output)).toEqual({ output });
    }),
  );
});
