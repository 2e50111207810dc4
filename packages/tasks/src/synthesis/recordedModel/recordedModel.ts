import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { Start } from '../candidate.js';
import { type Step, type SynthModel, steps } from '../synthModel.js';

const Recording = z.strictObject({
  model: z.string().min(1),
  start: Start.optional(),
  answers: z.array(
    z.strictObject({
      step: z.enum(steps),
      /** Non-strings stand for their JSON. */
      answer: z.json(),
    }),
  ),
});
export type Recording = z.infer<typeof Recording>;

/** Throws `bad_input` for an invalid recording. */
export function readRecording(text: string): Recording {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const read = Recording.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new GyreError(
    'bad_input',
    `the recording is invalid: ${issue?.path.join('.') || 'the file'} ${issue?.message}`,
    {
      field: 'recorded',
      fix: 'use a JSON file that --record wrote',
    },
  );
}

/** Replays answers in order, ignoring its input. */
export function recordedModel({ model, answers }: Recording): SynthModel {
  let next = 0;
  return {
    name: model,
    recorded: true,
    complete(step: Step) {
      const { step: recordedStep, answer } = answers[next++] ?? {};
      if (recordedStep === step) return Promise.resolve(typeof answer === 'string' ? answer : JSON.stringify(answer));
      const position = recordedStep === undefined ? 'has no more answers' : `answers "${recordedStep}"`;
      return Promise.reject(
        new GyreError('bad_input', `the step "${step}" does not match the recording, which ${position}`, {
          field: 'recorded',
          fix: 'replay it with the same app, counts and policy',
        }),
      );
    },
  };
}

/** Records answers in `recording`. `start` is the app's initial store. */
export function recorder(model: SynthModel, start?: Start): SynthModel & { readonly recording: Recording } {
  const recording: Recording = { model: model.name, ...(start && { start }), answers: [] };
  return {
    ...model,
    recording,
    async complete(step, messages, signal) {
      const answer = await model.complete(step, messages, signal);
      recording.answers.push({ step, answer });
      return answer;
    },
  };
}
