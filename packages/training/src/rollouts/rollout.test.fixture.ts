import { Random, contextTokens, vocabularyOf } from '@gyre/engine';
import type { Episode, Turn } from '@gyre/protocol';
import type { Rollout } from '../advantages/targets.js';

const size = { width: 32, height: 32 };
export const vocabulary = vocabularyOf(size);
const hash = 'a'.repeat(64);
export const random = new Random(1);
export const screenshot = { hash, pixels: Uint8Array.from({ length: 32 * 32 * 3 }, () => random.int(256)), size };
export const tokens = contextTokens(vocabulary, 'press "ab"', []);

export function rollout(
  family: string,
  rewards: readonly number[],
  sampled: { tokens: number[]; logprobs: number[]; policyVersion?: number }[],
  { task: id = 't', success, difficulty }: { task?: string; success?: boolean; difficulty?: number } = {},
): Rollout {
  const observation = { screenshot: hash, size };
  const turns = rewards.map((reward, index): Turn => ({ index, actions: [{ type: 'wait' }], observation, reward }));
  const task = {
    id,
    family,
    split: 'train' as const,
    seed: 1,
    instruction: 'x',
    surfaces: ['screen' as const],
    screen: observation.size,
    stepBudget: 9,
    ...(difficulty !== undefined && { difficulty }),
  };
  const episode: Episode = {
    id: 'e',
    task,
    policy: 'nano',
    purpose: 'ppo',
    seed: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    observation,
    turns,
    end: { state: 'finished' },
    ...(success !== undefined && { verdict: { success, score: success ? 1 : 0, source: 'verifier', evidence: {} } }),
  };
  return {
    episode,
    decisions: sampled.map(({ tokens: action, logprobs, policyVersion }, turn) => ({
      family,
      turn,
      ...(policyVersion !== undefined && { policyVersion }),
      datum: { screenshots: [screenshot], sequences: [{ tokens, action, logprobs, clock: turn }] },
    })),
  };
}

const waits = vocabulary.encode({ type: 'wait' });
export const wait = { tokens: waits, logprobs: waits.map(() => -3) };
