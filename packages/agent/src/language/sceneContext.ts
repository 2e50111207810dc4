import type { PastScene, SceneContext } from '@gyre/engine';
import { isSdkCall, type Observation } from '@gyre/protocol';
import type { Assignment, PastTurn } from '../policy/policy.js';

/**
 * Builds what a policy with a reader knows besides the newest screenshot, in episodes and in training.
 *
 * @param start the observation before the first turn
 */
export function sceneContext(
  { instruction, surfaces = [] }: Pick<Assignment, 'instruction'> & Partial<Pick<Assignment, 'surfaces'>>,
  start: Observation,
  turns: readonly Pick<PastTurn, 'actions' | 'reading' | 'observation'>[],
): SceneContext {
  const past = turns.map(({ actions, reading, observation }, index): PastScene => {
    const before = turns[index - 1]?.observation ?? start;
    const spoken = actions.filter((action) => action.type === 'execute_bash' || !isSdkCall(action));
    const commanded = spoken.some(({ type }) => type === 'execute_bash');
    return {
      actions: spoken,
      lines: reading?.lines ?? [],
      size: before.size,
      unchanged: before.screenshot === observation.screenshot,
      ...(commanded && { answer: observation.results?.[0]?.text ?? '' }),
    };
  });
  return { instruction, past, commands: surfaces.includes('shell') };
}
