import type { AgentAction, Episode, Turn } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atifTrajectory } from './atif.js';

const observation = { screenshot: '0'.repeat(64), size: { width: 28, height: 28 } };
const turn = (index: number, rest: Partial<Turn>): Turn => ({ index, actions: [], observation, reward: 0, ...rest });
const episode = (turns: readonly Turn[]): Episode => ({
  ...{ id: 'e1', policy: 'model', purpose: 'run', seed: 1, startedAt: '2026-11-30T10:00:00.000Z', observation },
  task: {
    ...{ id: 'free/dev/1', family: 'free', split: 'dev', seed: 1, instruction: 'do it', stepBudget: 5 },
    ...{ surfaces: ['shell'], screen: observation.size },
  },
  turns: [...turns],
  end: { state: 'finished', at: '2026-11-30T10:01:00.000Z' } as Episode['end'],
});

interface Step {
  readonly step_id: number;
  readonly source: string;
  readonly message: string;
  readonly tool_calls?: readonly { readonly tool_call_id: string; readonly function_name: string }[];
  readonly observation?: { readonly results: readonly { readonly source_call_id?: string }[] };
}
const stepsOf = (...terms: Parameters<typeof atifTrajectory>) =>
  (atifTrajectory(...terms) as { steps: readonly Step[] }).steps;

test('has the instruction, the calls with their results, and the tokens', () => {
  const bash: AgentAction = { type: 'execute_bash', command: 'ls', seconds: 3 };
  const results = [
    { kind: 'notice', text: 'a notice' },
    { kind: 'output', text: 'a\n(exit code 0)' },
  ] as const;
  const first = turn(0, { thought: 'look', actions: [bash], observation: { ...observation, results: [...results] } });
  const last = turn(1, { actions: [{ type: 'finished', answer: 'yes' }] });
  const tokens = { prompt: 9, cached: 4, answer: 2 };
  const trajectory = atifTrajectory(episode([first, last]), { version: '1', tokens, turnTokens: [tokens] });
  expect(trajectory).toMatchObject({
    schema_version: 'ATIF-v1.8',
    agent: { name: 'gyre', version: '1', model_name: 'model' },
    steps: [
      { source: 'user', message: 'do it' },
      {
        ...{ source: 'agent', reasoning_content: 'look', metrics: { prompt_tokens: 9, completion_tokens: 2 } },
        tool_calls: [{ tool_call_id: '0-0', function_name: 'execute_bash', arguments: { command: 'ls', seconds: 3 } }],
        observation: { results: [{ content: 'a notice' }, { source_call_id: '0-0', content: 'a\n(exit code 0)' }] },
      },
      { message: 'yes', tool_calls: [{ function_name: 'finished' }] },
    ],
    final_metrics: { total_prompt_tokens: 9, total_completion_tokens: 2, total_cached_tokens: 4, total_steps: 3 },
  });
});

test('numbers its steps, and names only calls that there are', () => {
  const action = fc.constantFrom<AgentAction>(
    { type: 'execute_bash', command: 'ls' },
    { type: 'wait' },
    { type: 'jupyter', code: '1' },
  );
  const kind = fc.constantFrom('output', 'refused', 'malformed', 'notice', 'fault');
  const result = fc.record({ kind, text: fc.string() });
  const turns = fc.array(fc.record({ actions: fc.array(action), results: fc.array(result) }), { maxLength: 5 });
  fc.assert(
    fc.property(turns, (drawn) => {
      const played = drawn.map(({ actions, results }, index) =>
        turn(index, { actions, observation: { ...observation, results } }),
      );
      const steps = stepsOf(episode(played), { version: '1' });
      expect(steps.map(({ step_id: id }) => id)).toEqual(steps.map((_, index) => index + 1));
      const ids = steps.flatMap(({ tool_calls: calls = [] }) => calls.map(({ tool_call_id: id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      for (const { tool_calls: calls = [], observation: seen } of steps) {
        const named = (seen?.results ?? []).flatMap(({ source_call_id: id }) => id ?? []);
        expect(calls.map(({ tool_call_id: id }) => id)).toEqual(expect.arrayContaining(named));
      }
    }),
  );
});
