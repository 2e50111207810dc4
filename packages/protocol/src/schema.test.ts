import { describe, expect, it } from 'vitest';
import {
  Action,
  AgentAction,
  Episode,
  GyreError,
  Observation,
  Point,
  Task,
  Turn,
  Verdict,
  actionTypes,
} from './index.js';

const task = {
  id: 'forms/train/7',
  family: 'forms',
  split: 'train',
  seed: 7,
  instruction: 'Press Save.',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  stepBudget: 10,
};
const observation = { screenshot: 'a'.repeat(64), size: { width: 640, height: 480 } };
const turn = { index: 0, actions: [{ type: 'wait' }], observation, reward: 0 };
const episode = {
  ...{ id: 'e', task, policy: 'nano', purpose: 'ppo', seed: 0, startedAt: '2026-11-20T10:00:00Z', observation },
  ...{ turns: [turn], end: { state: 'finished' } },
};

const edit = (rest: object) => ({ type: 'str_replace_editor', path: 'a', ...rest });
const tool = { type: 'mcp_tool', server: 's', tool: 't' };

describe('the schemas', () => {
  it('take an episode as it is, from JSON as from memory', () => {
    expect(Episode.parse(episode)).toEqual(episode);
    expect(Episode.parse(JSON.parse(JSON.stringify(episode)))).toEqual(episode);
  });

  it('know 24 actions, each once', () => {
    expect(actionTypes).toHaveLength(24);
    expect(new Set(actionTypes).size).toBe(24);
  });

  it.each([
    ['a point off the screen', Point, { x: 1.01, y: 0 }, 'x'],
    ['a point with a third number', Point, { x: 0, y: 0, z: 0 }, ''],
    ['an action that is not one', Action, { type: 'smash', point: { x: 0, y: 0 } }, 'type'],
    ['a click without a point', Action, { type: 'click' }, 'point'],
    ['a field that no action has', Action, { type: 'wait', text: 'x' }, ''],
    ['a call that looks at lines backwards', AgentAction, edit({ command: 'view', lines: [3, 1] }), 'lines'],
    ['a call that edits what it should write', AgentAction, edit({ command: 'create' }), 'text'],
    ['a call that does nothing known', AgentAction, edit({ command: 'append' }), 'command'],
    ['arguments that are no JSON', AgentAction, { ...tool, arguments: { a: NaN } }, 'arguments.a'],
    ['a call among actions of the screen', Action, tool, 'type'],
    ['a wait of minutes', Action, { type: 'wait', seconds: 61 }, 'seconds'],
    ['a screenshot by another name than its hash', Observation, { ...observation, screenshot: 'a.png' }, 'screenshot'],
    ['a screen of half pixels', Task, { ...task, screen: { width: 1.5, height: 1 } }, 'screen.width'],
    ['a split that does not exist', Task, { ...task, split: 'validation' }, 'split'],
    ['a task without surfaces', Task, { ...task, surfaces: [] }, 'surfaces'],
    ['a reward that is no number', Turn, { ...turn, reward: NaN }, 'reward'],
    [
      'an impossible logprob',
      Turn,
      { ...turn, sample: { tokens: [1], logprobs: [-Infinity], policyVersion: 0 } },
      'sample.logprobs.0',
    ],
    ['a score above 1', Verdict, { success: true, score: 2, source: 'verifier', evidence: {} }, 'score'],
    ['an end that is not one', Episode, { ...episode, end: { state: 'crashed' } }, 'end.state'],
    ['a start that is no time', Episode, { ...episode, startedAt: 'today' }, 'startedAt'],
  ])('refuse %s and name the field', (_, schema, value, field) => {
    expect(schema.safeParse(value).error?.issues[0]?.path.join('.')).toBe(field);
  });

  it('raise errors with a code, a field, a fix and the cause', () => {
    const cause = new Error('inner');
    const error = new GyreError('bad_input', 'seed is -1', { field: 'seed', fix: 'give 0 or more', cause });
    expect(error).toMatchObject({
      name: 'GyreError',
      code: 'bad_input',
      detail: { field: 'seed', fix: 'give 0 or more' },
    });
    expect(error.cause).toBe(cause);
  });
});
