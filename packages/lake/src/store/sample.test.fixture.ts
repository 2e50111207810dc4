import type { Episode, EpisodeStart, Turn } from '@gyre/protocol';
import type { EpisodeFilter, Lake } from '../index.js';

export function anEpisode(id: string, turnCount: number, change: Partial<Episode> = {}): Episode {
  return {
    id,
    task: {
      id: 'forms/train/7',
      family: 'forms',
      split: 'train',
      seed: 7,
      instruction: 'Write "Zoë" into the field ☃ and press Save.',
      surfaces: ['screen'],
      screen: { width: 640, height: 480 },
      stepBudget: 10,
    },
    policy: 'nano',
    purpose: 'ppo',
    seed: 11,
    startedAt: '2026-11-20T10:00:00.123456Z',
    observation: { screenshot: 'a'.repeat(64), size: { width: 640, height: 480 } },
    turns: Array.from({ length: turnCount }, (_, index) => aTurn(index)),
    end: { state: 'finished' },
    verdict: { success: true, score: 0.75, source: 'verifier', evidence: { saved: ['Zoë'], clicks: 2, note: null } },
    ...change,
  };
}

export function aTurn(index: number): Turn {
  return {
    index,
    thought: `line ${index}\nquote " backslash \\ half a pair \ud83d`,
    actions: [{ type: 'click', point: { x: 0.1 + 0.2, y: 1 / 3 } }, { type: 'wait' }],
    sample: { tokens: [1, 2, 65535], logprobs: [-0.1, -1e-7, -12.345678901234567], policyVersion: 3 + index },
    observation: {
      screenshot: 'b'.repeat(64),
      size: { width: 640, height: 480 },
      results: [{ kind: 'output', text: 'ok' }],
    },
    reward: index / 10,
  };
}

export function startOf({ turns: _turns, end: _end, verdict: _verdict, ...start }: Episode): EpisodeStart {
  return start;
}

export async function record(lake: Lake, episode: Episode): Promise<Episode> {
  const writer = await lake.begin(startOf(episode));
  for (const turn of episode.turns) await writer.append(turn);
  return writer.finish(episode.end, episode.verdict);
}

export async function allOf(lake: Lake, filter?: EpisodeFilter): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for await (const episode of lake.episodes(filter)) episodes.push(episode);
  return episodes;
}
