import type { Lake } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { type JudgeOptions, judgeAttempt, mostJudgedScreens } from '@gyre/tasks';
import { confidence } from '@gyre/training';
import { UsageError } from '../command.js';
import { servedModel } from '../policies/servedModel.js';

/** What says which of several attempts at a task is best. It knows nothing of the task's verifier. */
export interface AttemptJudge {
  readonly name: string;
  /** More is better; undefined where it cannot say. */
  worth(episode: Episode): Promise<number | undefined>;
}

/** The policy itself, by how likely it found what it said. */
export const confidenceJudge: AttemptJudge = {
  name: 'confidence',
  worth: (episode) => Promise.resolve(confidence(episode)),
};

/**
 * The model at an address, by default the first that is served there.
 *
 * @throws UsageError for what is no address.
 * @throws GyreError `infra` or `bad_input` where no model server answers.
 */
export async function openJudge(url: string, name: string | undefined): Promise<JudgeOptions> {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--judge is "${url}"`, {
      field: '--judge',
      fix: 'use confidence, or the URL of an OpenAI-compatible server: http://127.0.0.1:8000/v1',
    });
  }
  const apiKey = process.env.JUDGE_API_KEY;
  // Also where the name is given: who has played for an hour does not want to hear that nobody judges.
  const first = await servedModel(url, apiKey, '--judge');
  return { url, model: name ?? first, apiKey };
}

/** A model that is shown what was done and the last screenshots, which are in `lake`. It says nothing of an attempt where it fails. */
export function modelJudge(options: JudgeOptions, lake: Pick<Lake, 'screenshot'>): AttemptJudge {
  return {
    name: options.model,
    async worth({ task, observation, turns }) {
      const seen = [observation, ...turns.map((turn) => turn.observation)].slice(-mostJudgedScreens);
      const screenshots = await Promise.all(seen.map(({ screenshot }) => lake.screenshot(screenshot)));
      const attempt = { instruction: task.instruction, turns: turns.map(({ actions }) => actions), screenshots };
      try {
        return (await judgeAttempt(attempt, options)).likely;
      } catch (error) {
        if (error instanceof GyreError && error.detail.part === 'model_server') return undefined;
        throw error;
      }
    },
  };
}
