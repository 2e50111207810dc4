import type { Episode, TurnFormatName } from '@gyre/protocol';
import type { Columns } from './parquetTable.js';
import { systemPrompt, userPrompt } from './prompt.js';

export const verlColumns = {
  data_source: 'string',
  prompt: { list: { struct: { role: 'string', content: 'string' } } },
  images: { list: { struct: { bytes: 'binary', path: 'string' } } },
  ability: 'string',
  reward_model: { struct: { style: 'string', ground_truth: 'string' } },
  extra_info: {
    struct: {
      split: 'string',
      index: 'int64',
      task_id: 'string',
      family: 'string',
      seed: 'int64',
      step_budget: 'int64',
    },
  },
} as const satisfies Columns;

/** Returns a row with `<image>` for the first screen. `ground_truth` is the task's id, which its verifier needs. */
export function verlRow(
  { task, observation }: Episode,
  index: number,
  { format, png }: { readonly format: TurnFormatName; readonly png: Uint8Array },
) {
  return {
    data_source: `gyre/${task.family}`,
    prompt: [
      { role: 'system', content: systemPrompt },
      { role: 'user', content: `${userPrompt(task.instruction, format, task.screen)}\n\n<image>` },
    ],
    images: [{ bytes: png, path: `${observation.screenshot}.png` }],
    ability: 'gui',
    reward_model: { style: 'rule', ground_truth: task.id },
    extra_info: {
      split: task.split,
      index: BigInt(index),
      task_id: task.id,
      family: task.family,
      seed: BigInt(task.seed),
      step_budget: BigInt(task.stepBudget),
    },
  };
}
