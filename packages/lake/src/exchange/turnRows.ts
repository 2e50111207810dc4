import { type Episode, isCopied, promptsOf, turnFormat, independentVerdict } from '@gyre/protocol';
import type { Columns } from './parquetTable.js';
import { screenshotPath } from './screenshotPath.js';

export const turnColumns = {
  episode_id: 'string',
  task_id: 'string',
  family: 'string',
  instruction: 'string',
  policy: 'string',
  purpose: 'string',
  source: 'string',
  licence: 'string',
  /** Null unless forked. */
  fork_episode: 'string',
  turn: 'int64',
  /** Name of the person that acted; null if the policy did. */
  by: 'string',
  /** Belongs to the forked episode. */
  copied: 'bool',
  screenshot: 'image',
  width: 'int64',
  height: 'int64',
  thought: 'string',
  /** In T5's syntax. */
  actions: 'string',
  /** Points in 0..1. */
  actions_json: 'string',
  reward: 'float64',
  prompt_tokens: { list: 'int64' },
  tokens: { list: 'int64' },
  logprobs: { list: 'float64' },
  policy_version: 'int64',
  state: 'string',
  success: 'bool',
  score: 'float64',
} as const satisfies Columns;

export type TurnRow = Record<Exclude<keyof typeof turnColumns, 'screenshot'>, unknown> & {
  readonly screenshot: string;
};

export function turnRows(episode: Episode): TurnRow[] {
  const { id, task, policy, purpose, origin, end, turns } = episode;
  const verdict = independentVerdict(episode);
  const t5 = turnFormat('t5', task.screen);
  const prompts = promptsOf(episode);
  return turns.map((turn) => {
    const { index, thought, actions, reward, sample } = turn;
    const before = index === 0 ? episode.observation : turns[index - 1]!.observation;
    return {
      episode_id: id,
      task_id: task.id,
      family: task.family,
      instruction: task.instruction,
      policy,
      purpose,
      source: origin?.source ?? null,
      licence: origin?.licence ?? null,
      fork_episode: episode.fork?.episode ?? null,
      turn: index,
      by: turn.by ?? null,
      copied: isCopied(episode, turn),
      screenshot: screenshotPath(before.screenshot),
      width: before.size.width,
      height: before.size.height,
      thought: thought ?? null,
      actions: actions.length === 0 ? null : t5.print({ actions }),
      actions_json: JSON.stringify(actions),
      reward,
      prompt_tokens: prompts[index] ?? null,
      tokens: sample?.tokens ?? null,
      logprobs: sample?.logprobs ?? null,
      policy_version: sample?.policyVersion ?? null,
      state: end.state,
      success: verdict?.success ?? null,
      score: verdict?.score ?? null,
    };
  });
}
