import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { TaskId } from './task.js';

const complete = 'TASK_COMPLETE';
const answerMark = `${complete} -> ANSWER:`;

const Status = z.enum(['SUCCESS', 'FAILED']);

const ActionStep = z.strictObject({
  step: z.int().nonnegative(),
  screenshot: z.string().regex(/^[\w-]+\.(png|jpe?g|webp)$/i, { error: 'must be the name of a picture' }),
  url: z.string().nullable().optional(),
  action: z.string().min(1),
  action_status: Status.nullable().optional(),
  // The key is required.
  thought: z.string().nullable(),
});
export type ActionStep = z.infer<typeof ActionStep>;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** `result.json` of a task in Online-Mind2Web's format v2, with the rules that its schema cannot say. */
export const TrajectoryResult = z
  .strictObject({
    schema_version: z.literal('online-mind2web-v2'),
    task: z.string().min(1),
    task_id: TaskId,
    agent_final_answer: z.string().nullable(),
    /** A person's, not the agent's. */
    reference_length: z.int().nonnegative(),
    action_history: z.array(ActionStep).min(1),
  })
  .superRefine(({ action_history: steps, agent_final_answer: answer }, context) => {
    const problem = (index: number, field: keyof ActionStep, message: string) =>
      context.addIssue({ code: 'custom', path: ['action_history', index, field], message });
    for (const [index, { step, screenshot, action, action_status: status }] of steps.entries()) {
      if (step !== index) problem(index, 'step', `must be ${index}, its place`);
      if (index > 0 && screenshot <= steps[index - 1]!.screenshot) problem(index, 'screenshot', 'must sort by step');
      const suffix = /\|\s*(SUCCESS|FAILED)\s*$/.exec(action)?.[1];
      if ((status ?? undefined) !== suffix)
        problem(index, 'action_status', `must be ${suffix ?? 'null'}, as in action`);
      const isLast = index === steps.length - 1;
      if (action.startsWith(complete) !== isLast) problem(index, 'action', `only the last must be ${complete}`);
    }
    const last = steps.at(-1)?.action;
    if (answer === null || !last?.startsWith(complete)) return;
    if (!last.startsWith(answerMark) || oneLine(last.slice(answerMark.length)) !== oneLine(answer))
      problem(steps.length - 1, 'action', 'must have the answer of agent_final_answer');
  });
export type TrajectoryResult = z.infer<typeof TrajectoryResult>;

/** Returns the last step's action. */
export const printAnswer = (answer: string | null): string => `${answerMark} ${oneLine(answer ?? '')}`.trimEnd();

export const screenshotName = (step: number): string => `${String(step).padStart(4, '0')}.png`;

export interface Trajectory {
  readonly result: TrajectoryResult;
  /** PNG, one per step. */
  readonly screenshots: readonly Uint8Array[];
}

/** Writes `TASKID/result.json` and `TASKID/trajectory/0000.png`, in place of what an attempt before has left. */
export async function writeTrajectory(folder: string, { result, screenshots }: Trajectory): Promise<void> {
  const place = join(folder, result.task_id);
  await rm(place, { recursive: true, force: true });
  await mkdir(join(place, 'trajectory'), { recursive: true });
  for (const [step, png] of screenshots.entries())
    await writeFile(join(place, 'trajectory', screenshotName(step)), png);
  await writeFile(join(place, 'result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Reads a task's folder, and checks it by the rules of format v2. Throws `bad_input` with the field. */
export async function readTrajectory(place: string): Promise<TrajectoryResult> {
  const file = join(place, 'result.json');
  const refusal = (field: string, message: string, cause?: unknown) =>
    new GyreError('bad_input', `${file} is not of format online-mind2web-v2: ${field} ${message}`, {
      field,
      fix: 'see data/schema_v2 of Online-Mind2Web',
      cause,
    });
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw refusal('result.json', 'cannot be read', cause);
  }
  const parsed = TrajectoryResult.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refusal(issue?.path.join('.') || 'result', issue?.message ?? 'is invalid', parsed.error);
  }
  const files = await readdir(join(place, 'trajectory')).catch((): string[] => []);
  const absent = parsed.data.action_history.find(({ screenshot }) => !files.includes(screenshot));
  if (absent)
    throw refusal(`action_history.${absent.step}.screenshot`, `is missing in trajectory: ${absent.screenshot}`);
  return parsed.data;
}
