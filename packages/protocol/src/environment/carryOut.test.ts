import { expect, test } from 'vitest';
import type { AgentAction } from '../action/sdkCall.js';
import { GyreError } from '../error.js';
import { carryOut } from './carryOut.js';

const click: AgentAction = { type: 'click', point: { x: 0.5, y: 0.5 } };
const bash: AgentAction = { type: 'execute_bash', command: 'ls' };
const malformed = { type: 'click', point: { x: 2 } } as unknown as AgentAction;

async function taken(actions: readonly AgentAction[], refuse: (action: AgentAction) => void = () => undefined) {
  const done: AgentAction[] = [];
  const result = await carryOut(actions, (action) => {
    refuse(action);
    done.push(action);
    return Promise.resolve(action.type === 'execute_bash' ? 'ok' : undefined);
  });
  return { done, ...result };
}

const throwing = (code: 'bad_input' | 'held' | 'infra', at: AgentAction['type']) => (action: AgentAction) => {
  if (action.type === at) throw new GyreError(code, 'not now', { part: 'machine', fix: 'try another' });
};

test('all actions are taken in order, and calls of the SDK have results', async () => {
  expect(await taken([click, bash, click])).toEqual({
    done: [click, bash, click],
    actions: [click, bash, click],
    ended: false,
    results: [{ kind: 'output', text: 'ok' }],
  });
  expect(await taken([])).toMatchObject({ actions: [], ended: false, results: [] });
});

test.each([{ type: 'finished', answer: '7' }, { type: 'call_user' }] as const)(
  '$type ends the episode',
  async (end) => {
    expect(await taken([click, end, click])).toMatchObject({ done: [click], actions: [click, end], ended: true });
  },
);

test('a malformed action is left out, and stops the step', async () => {
  const { done, actions, results, refusal } = await taken([click, malformed, click]);
  expect([done, actions, refusal]).toEqual([[click], [click], undefined]);
  expect(results).toEqual([
    { kind: 'malformed', text: expect.stringMatching(/^malformed action: point\.x /) as string },
  ]);
});

test.each(['bad_input', 'held'] as const)(
  'an action refused with %s stops the step, and its error is typed',
  async (code) => {
    const { done, actions, results, refusal } = await taken([bash, click, bash], throwing(code, 'click'));
    expect([done, actions]).toEqual([[bash], [bash, click]]);
    expect(results.at(-1)).toEqual({ kind: 'refused', text: 'refused click: not now' });
    expect(refusal).toMatchObject({ code });
  },
);

test('a refused call says what to do instead', async () => {
  const { results } = await taken([bash], throwing('bad_input', 'execute_bash'));
  expect(results).toEqual([{ kind: 'refused', text: 'refused execute_bash: not now (try another)' }]);
});

test('other errors pass', async () => {
  await expect(taken([click], throwing('infra', 'click'))).rejects.toMatchObject({ code: 'infra' });
});
