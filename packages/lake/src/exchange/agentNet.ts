import { type Episode, type Turn, type Verdict } from '@gyre/protocol';
import { z } from 'zod';
import { pointIn } from './importing.js';
import { actionsOfCode } from './pyautogui.js';
import { type Reading, checked } from './reading.js';

const Trajectory = z.object({
  task_id: z.string().min(1),
  instruction: z.string().min(1),
  traj: z
    .array(
      z.object({
        /** Screen before the code runs. */
        image: z.string().min(1),
        value: z.object({ code: z.string(), thought: z.string().nullish() }),
      }),
    )
    .min(1),
  task_completed: z.boolean().nullish(),
  reason: z.string().nullish(),
  alignment_score: z.number().nullish(),
  efficiency_score: z.number().nullish(),
});

/**
 * Converts a raw AgentNet trajectory. The last step repeats its screen. A model's judgement becomes the verdict.
 * @throws Unsupported for code without an equivalent action
 * @throws GyreError `bad_input` that names the field
 */
export async function fromAgentNet(json: unknown, reading: Reading): Promise<Episode> {
  const { task_id: id, instruction, traj, ...judged } = checked(Trajectory, json, '', reading);
  const screens = await Promise.all(
    traj.map(({ image }, index) => reading.screenshots.get(image, { ...reading.place, field: `traj.${index}.image` })),
  );
  const turns = traj.map(({ value: { code, thought } }, index): Turn => {
    const field = `traj.${index}.value.code`;
    const { size } = screens[index]!;
    const point = (x: number, y: number) => pointIn(reading.coordinates, x, y, size, { ...reading.place, field });
    const actions = actionsOfCode(code, point, field);
    return {
      index,
      ...(typeof thought === 'string' && { thought }),
      actions,
      observation: screens[index + 1] ?? screens[index]!,
      reward: 0,
    };
  });
  const verdict = verdictOf(judged);
  return {
    id: `${reading.family}/${id}`,
    task: {
      id: `${reading.family}/train/${id}`,
      family: reading.family,
      split: 'train',
      seed: 0,
      instruction,
      surfaces: ['screen'],
      screen: screens[0]!.size,
      stepBudget: traj.length,
    },
    policy: 'human',
    purpose: 'imported',
    seed: 0,
    startedAt: reading.now,
    observation: screens[0]!,
    origin: reading.origin,
    turns,
    end: { state: 'finished' },
    ...(verdict && { verdict }),
  };
}

function verdictOf({
  task_completed: success,
  ...evidence
}: Pick<z.infer<typeof Trajectory>, 'task_completed' | 'reason' | 'alignment_score' | 'efficiency_score'>):
  Verdict | undefined {
  if (typeof success !== 'boolean') return undefined;
  return { success, score: success ? 1 : 0, source: 'judge', evidence };
}
