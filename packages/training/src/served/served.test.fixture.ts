import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, type Piece, serveTinker, TinkerClient, TinkerEngine } from '@gyre/engine';
import { afterAll } from 'vitest';
import type { Rollout } from '../advantages/targets.js';
import { rollout } from '../rollouts/rollout.test.fixture.js';

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Reaches an engine by the Tinker protocol. */
export async function remoteOf(engine: Engine, { vocabulary, pictures } = engine.traits): Promise<Engine> {
  const directory = await mkdtemp(join(tmpdir(), 'gyre-served-'));
  const server = await serveTinker({ engine, name: 'served', checkpoint: (name) => join(directory, name) });
  const client = await TinkerClient.open({ url: server.url, samplesPictures: pictures });
  const remote = await TinkerEngine.open({ client, model: { baseModel: 'served', rank: 0 }, vocabulary, pictures });
  cleanups.push(async () => {
    await remote.close();
    await server.close();
    await engine.close();
    await rm(directory, { recursive: true });
  });
  return remote;
}

export interface ServedTurn {
  readonly prompt: readonly Piece[];
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly reward: number;
}

/** Makes an episode of turns that a served policy sampled. */
export function servedRollout(turns: readonly ServedTurn[]): Rollout {
  const sampled = turns.map(({ tokens, logprobs }) => ({ tokens: [...tokens], logprobs: [...logprobs] }));
  const rewards = turns.map(({ reward }) => reward);
  const { episode, decisions } = rollout('cue', rewards, sampled);
  return {
    episode,
    decisions: decisions.map((decision, i) => ({
      ...decision,
      datum: {
        screenshots: [],
        sequences: decision.datum.sequences.map((sequence) => ({ ...sequence, prompt: turns[i]!.prompt })),
      },
    })),
  };
}
