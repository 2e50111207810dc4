import type { Episode, EpisodeEnd, Split, Turn, Verdict } from '@gyre/protocol';
import { describe, expect, test } from 'vitest';
import { originOf, route, type RoutingContext } from './route.js';

const observation = { screenshot: 'a'.repeat(64), size: { width: 160, height: 160 } };
const turn = (policyVersion?: number): Turn => ({
  index: 0,
  actions: [{ type: 'wait' }],
  observation,
  reward: 0,
  ...(policyVersion !== undefined && { sample: { tokens: [1, 2], logprobs: [-1, -2], policyVersion } }),
});

interface Case {
  split?: Split;
  id?: string;
  family?: string;
  end?: EpisodeEnd['state'];
  success?: boolean;
  source?: Verdict['source'];
  turns?: Turn[];
  now?: RoutingContext;
}

function episode({
  split = 'train',
  id,
  family = 'click',
  end = 'finished',
  success,
  source = 'verifier',
  turns = [turn(7)],
}: Case): Episode {
  return {
    id: 'e',
    task: {
      ...{ id: id ?? `${family}/${split}/1`, family, split, seed: 1, instruction: 'press it', surfaces: ['screen'] },
      ...{ screen: observation.size, stepBudget: 2 },
    },
    ...{ policy: 'nano', purpose: 'ppo', seed: 1, startedAt: '2026-11-20T14:00:00.000Z', observation, turns },
    end: end === 'infra_error' || end === 'agent_fault' ? { state: end, message: 'gone' } : { state: end },
    ...(success !== undefined && {
      verdict: { success, score: success ? 1 : 0, source, evidence: {} },
    }),
  };
}

describe('an episode', () => {
  const now = { policyVersion: 7 };
  test.each<[string, Case, string]>([
    ['that succeeded', { success: true }, 'sft'],
    ['that failed', { success: false }, 'ct'],
    ['that ran out of turns and failed', { end: 'out_of_budget', success: false }, 'ct'],
    ['that was stuck', { end: 'stuck', success: false }, 'ct'],
    ['whose actions broke its page', { end: 'agent_fault', success: false }, 'ct'],
    ['of the weights that practise, whose actions broke its page', { end: 'agent_fault', success: false, now }, 'rl'],
    ['that nobody has judged', {}, 'ct'],
    ['that succeeded, as another attempt did in fewer turns', { success: true, now: { surpassed: true } }, 'ct'],
    ['of the weights that practise, successful', { success: true, now }, 'rl'],
    ['of the weights that practise, failed', { success: false, now }, 'rl'],
    ['of earlier weights', { success: true, turns: [turn(7), turn(6)], now }, 'sft'],
    ['of the weights that practise, unjudged', { now }, 'ct'],
    ['that was captured without token ids', { success: true, turns: [turn()], now }, 'sft'],
    ['of which one turn has no token ids', { success: false, turns: [turn(7), turn()], now }, 'ct'],
    ['of a family that is not known here', { family: 'elsewhere', success: true }, 'sft'],
    ['of the test split', { split: 'test', success: true }, 'refused'],
    ['of the test split, for RL', { split: 'test', success: true, now }, 'refused'],
    ['of the dev split', { split: 'dev', success: false }, 'refused'],
    ['whose task is of the test split by its id', { id: 'click/test/3', success: true }, 'refused'],
    ['of a family for measuring', { family: 'mail.saveDraft', success: true }, 'refused'],
    ['that the infrastructure ended', { end: 'infra_error' }, 'refused'],
    ['that was cut', { end: 'cut' }, 'refused'],
    ['without turns', { success: true, turns: [] }, 'refused'],
    ['whose agent says that it succeeded', { success: true, source: 'agent' }, 'refused'],
    ['whose agent says that it failed', { success: false, source: 'agent' }, 'refused'],
    ['whose agent says so, of the weights that practise', { success: true, source: 'agent', now }, 'refused'],
    ['that a person has judged', { success: true, source: 'human' }, 'sft'],
  ])('%s', (_, input, expected) => {
    const actual = route(episode(input), input.now);
    expect('stage' in actual ? actual.stage : 'refused').toBe(expected);
  });
});

test('says how it came about', () => {
  const origin = { format: 'atif', source: 'x' };
  expect(originOf({ purpose: 'imported', origin })).toBe('imported');
  expect(['demonstration', 'captured', 'rejection 3', 'ppo', 'value'].map((purpose) => originOf({ purpose }))).toEqual([
    ...['demonstration', 'captured', 'rejection', 'rollout', 'rollout'],
  ]);
});

test('an annotated episode is left to its reviewer, whatever its verdict', () => {
  const annotated = { ...episode({ success: true }), purpose: 'annotation' };
  expect(route(annotated)).toEqual({ refused: 'annotated; its reviewer decides' });
  expect(originOf(annotated)).toBe('annotated');
  const origin = { format: 'annotation', source: 'ann' };
  expect(originOf({ ...annotated, purpose: 'imported', origin })).toBe('imported');
});
