import { Random } from '@gyre/engine';
import { Action, type Task, actionTypes, onScreen } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import type { Context } from './policy.js';
import { type ActionSpace, type RandomActionType, randomPolicy } from './randomPolicy.js';

const task: Pick<Task, 'instruction' | 'surfaces' | 'screen' | 'stepBudget'> = {
  instruction: 'press the red button',
  surfaces: ['screen'],
  screen: { width: 160, height: 160 },
  stepBudget: 2,
};

async function draw(space: ActionSpace, count: number, seed = 1): Promise<Action[]> {
  const generator = new Random(seed);
  const start = { screenshot: '0', size: task.screen };
  const context: Context = { task, screenshots: [], start, turns: [], random: () => generator.next(), episodeId: 'e' };
  const policy = randomPolicy(space);
  const actions: Action[] = [];
  for (let i = 0; i < count; i++) actions.push(...onScreen((await policy.decide(context)).actions));
  return actions;
}

const share = (actions: Action[], holds: (action: Action) => boolean) => actions.filter(holds).length / actions.length;

describe('randomPolicy', () => {
  it('draws every function it knows, well-formed', async () => {
    const known = actionTypes.filter((type): type is RandomActionType => type !== 'navigate' && type !== 'open_app');
    const actions = await draw({ functions: known }, 2000);
    expect(new Set(actions.map(({ type }) => type))).toEqual(new Set(known));
    for (const action of actions) expect(Action.parse(action)).toEqual(action);
  });

  it('is uniform over functions, then over the arguments of each', async () => {
    const actions = await draw({ functions: ['click', 'type', 'hotkey'], keys: ['enter', 'tab'] }, 6000);
    const clicks = actions.flatMap((action) => (action.type === 'click' ? [action.point] : []));
    const texts = actions.flatMap((action) => (action.type === 'type' ? [action.text] : []));
    const near = (value: number, wanted: number) => expect(Math.abs(value - wanted)).toBeLessThan(0.04);
    near(clicks.length / actions.length, 1 / 3);
    near(texts.length / actions.length, 1 / 3);
    near(
      share(actions, (action) => action.type === 'hotkey' && action.keys === 'tab'),
      1 / 6,
    );
    near(clicks.filter(({ x, y }) => x < 0.5 && y >= 0.5).length / clicks.length, 1 / 4);
    for (const length of [3, 4, 5, 6])
      near(texts.filter((text) => text.length === length).length / texts.length, 1 / 4);
    expect(texts.every((text) => /^[a-z]+$/.test(text))).toBe(true);
  });

  it('presses the arrow keys unless given others', async () => {
    const actions = await draw({ functions: ['hotkey'] }, 200);
    const keys = new Set(actions.map((action) => (action.type === 'hotkey' ? action.keys : '')));
    expect(keys).toEqual(new Set(['arrowup', 'arrowdown', 'arrowleft', 'arrowright']));
  });

  it('plays the same game again for the same seed', async () => {
    const space: ActionSpace = { functions: ['click', 'type'] };
    expect(await draw(space, 20, 5)).toEqual(await draw(space, 20, 5));
    expect(await draw(space, 20, 5)).not.toEqual(await draw(space, 20, 6));
  });

  it.each([
    ['functions', { functions: [] }],
    ['keys', { functions: ['hotkey'], keys: [] }],
    ['textLength', { functions: ['type'], textLength: { min: 4, max: 2 } }],
  ] satisfies [string, ActionSpace][])('refuses a space without %s', (field, space) => {
    expect(() => randomPolicy(space)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) }),
    );
  });
});
