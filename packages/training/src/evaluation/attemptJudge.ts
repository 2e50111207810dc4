import type { Lake } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { type JudgeOptions, judgeAttempt, maxJudgedScreens } from '@gyre/tasks';
import { confidence } from '../metrics/bestOf.js';

/** Scores attempts without the verifier. */
export interface AttemptJudge {
  readonly name: string;
  /** Returns undefined without a score. */
  worth(episode: Episode): Promise<number | undefined>;
}

export const confidenceJudge: AttemptJudge = {
  name: 'confidence',
  worth: (episode) => Promise.resolve(confidence(episode)),
};

/** Shows a model the actions and last screenshots. Attempts have no score if its server fails. */
export function modelJudge(options: JudgeOptions, lake: Pick<Lake, 'screenshot'>): AttemptJudge {
  return {
    name: options.model,
    async worth({ task, observation, turns }) {
      const seen = [observation, ...turns.map((turn) => turn.observation)].slice(-maxJudgedScreens);
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
