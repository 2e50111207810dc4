import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printT5 } from '@gyre/protocol';
import { countTask, sessionDouble } from '../../loop/double/sessionDouble.test.fixture.js';
import { runEpisode } from '../../loop/episode.js';
import { inSession } from '../../loop/pressTask.test.fixture.js';
import { type Script, vllmDouble } from './double/vllmDouble.test.fixture.js';
import { endpointPolicy, type EndpointOptions } from './endpointPolicy.js';
import { MemoryFile } from '../../memory/memoryFile.js';

let folder: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-memory-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(folder, { recursive: true });
});

type Message = { role: string; content: string | { type: string; text?: string }[] };
const textsOf = ({ content }: Message): string[] =>
  typeof content === 'string' ? [content] : content.flatMap(({ text }) => (text === undefined ? [] : [text]));
const question = (messages: Message[]): string | undefined => {
  const last = messages.at(-1)!;
  return typeof last.content === 'string' ? last.content : undefined;
};

const turnText = (number: number): string =>
  printT5({ thought: `turn ${number} ${'.'.repeat(100)}`, actions: [{ type: 'wait', seconds: 1 }] });

async function played(
  turns: number,
  summary: Script | string,
  options: Partial<EndpointOptions> = {},
): Promise<{ prompts: Message[][]; policy: ReturnType<typeof endpointPolicy>; turnCount: number }> {
  let answered = 0;
  const double = await vllmDouble((request, number) => {
    if (question(request.messages as Message[]) === undefined) return { text: turnText(answered++) };
    return typeof summary === 'string' ? { text: summary } : summary(request, number);
  });
  closing.push(double.close);
  const policy = endpointPolicy({ url: double.url, model: 'double', minScreenshots: 2, retries: 0, ...options });
  const session = sessionDouble();
  const job = countTask(session, { stepBudget: turns });
  const { turns: episodeTurns } = await runEpisode({
    ...job,
    environment: inSession(job, session),
    policy,
    screenshots: policy.screenshots,
  });
  const prompts = double.requests.map((request) => (request as { messages: Message[] }).messages);
  return { prompts, policy, turnCount: episodeTurns.length };
}

const isPrefix = (before: Message[], after: Message[]): boolean =>
  JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before);

describe('a policy that remembers', () => {
  test('sums up the turns that leave its window, and only grows in between', async () => {
    const { prompts, policy, turnCount } = await played(12, 'I waited, nothing came of it.', { remember: 500 });
    expect(turnCount).toBe(12);
    expect(policy.counts).toMatchObject({ turns: 12, malformed: 0, unsummed: 0, drifted: 0 });
    const questions = prompts.flatMap((prompt) => question(prompt) ?? []);
    expect(questions.length).toBeGreaterThanOrEqual(2);
    expect(policy.counts.summaries).toBe(questions.length);
    expect(questions[0]).toContain('Your turns 1 to 4 will not be shown');
    expect(questions[1]).toContain('Your turns 5 to 8 will not be shown');

    // Extends the previous prompt, so it is cached.
    const firstQuestion = prompts.findIndex((prompt) => question(prompt) !== undefined);
    expect(isPrefix(prompts[firstQuestion - 1]!, prompts[firstQuestion]!)).toBe(true);
    expect(prompts[firstQuestion]).toHaveLength(prompts[firstQuestion - 1]!.length + 2);

    const turns = prompts.filter((prompt) => question(prompt) === undefined);
    const last = turns.at(-1)!;
    expect(textsOf(last[1]!).slice(0, 3)).toEqual([
      'act',
      'Your turns 1 to 4, as you have summed them up: I waited, nothing came of it.',
      'Your turns 5 to 8, as you have summed them up: I waited, nothing came of it.',
    ]);
    expect(JSON.stringify(last)).not.toContain('turn 7 ');
    expect(JSON.stringify(last)).toContain('turn 8 ');
    const rewritten = turns.slice(1).filter((prompt, index) => !isPrefix(turns[index]!, prompt));
    expect(rewritten).toHaveLength(5);
    for (const prompt of turns) expect(prompt.map(({ role }) => role)).toEqual(rolesOf(prompt.length));
  });

  test('leaves the turns where no summary comes, and asks again when more have left', async () => {
    const { prompts, policy } = await played(9, ' ', { remember: 100 });
    expect(policy.counts).toMatchObject({ summaries: 0, unsummed: 3 });
    expect(prompts.flatMap((prompt) => question(prompt) ?? []).map((text) => /to (\d)/.exec(text)?.[1])).toEqual([
      '2',
      '4',
      '6',
    ]);
    expect(JSON.stringify(prompts.at(-1))).toContain('turn 0 ');
  });

  test('goes on where the call for a summary fails', async () => {
    const { policy, turnCount } = await played(6, () => ({ status: 400, message: 'too long' }), { remember: 100 });
    expect(turnCount).toBe(6);
    expect(policy.counts).toMatchObject({ turns: 6, summaries: 0, unsummed: 2 });
  });

  test('takes the thought of a model that answers with a turn', async () => {
    const { prompts } = await played(6, turnText(99), { remember: 300 });
    expect(JSON.stringify(prompts.at(-1))).toMatch(/summed them up: turn 99 \.+"/);
  });

  test('asks for nothing unless told to', async () => {
    const { prompts, policy } = await played(9, 'never');
    expect(prompts).toHaveLength(9);
    expect(policy.counts.summaries).toBe(0);
  });

  test('keeps its tasks in a file, and is shown the newest of them in the next', async () => {
    const path = join(folder, 'memory.jsonl');
    const memory = await MemoryFile.open(path);
    for (let number = 1; number <= 6; number++)
      await memory.add({
        at: '2026-11-22T08:00:00.000Z',
        episode: `e${number}`,
        instruction: `task ${number}`,
        end: 'finished',
        summary: 'done',
      });
    const { prompts, policy } = await played(3, 'I was asked to act and acted.', { memory });
    expect(prompts).toHaveLength(4);
    expect(textsOf(prompts[0]![1]!)).toEqual([
      ...[2, 3, 4, 5, 6].map(
        (number) => `What you remember of an earlier task, "task ${number}" (it came to an end): done`,
      ),
      'act',
    ]);
    expect(question(prompts[3]!)).toContain('The task is over: there were no turns left.');
    expect(policy.counts).toMatchObject({ turns: 3, summaries: 1 });
    expect((await MemoryFile.open(path)).latest(1)).toMatchObject([
      { instruction: 'act', end: 'out_of_budget', summary: 'I was asked to act and acted.' },
    ]);
  });

  test.each([0, -1, 2.5, NaN])('refuses to remember %d characters', (remember) => {
    expect(() => endpointPolicy({ url: 'http://127.0.0.1:1/v1', model: 'x', remember })).toThrow('remember is');
  });
});

const rolesOf = (length: number): string[] =>
  Array.from({ length }, (_, index) => (index === 0 ? 'system' : index % 2 === 1 ? 'user' : 'assistant'));
