import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@gyre/engine';
import type { MachineRun, TaskRun } from '@gyre/tasks';

/** Standard deviation of the logarithm: one turn in twenty takes three times the mean or longer. */
const deviation = 1;

/**
 * Adds a log-normally distributed delay to every turn, as of a remote environment.
 * @param mean in s
 */
export function slowed<Run extends TaskRun | MachineRun>(run: Run, mean: number, random: Random): Run {
  const step = run.step.bind(run);
  run.step = async (finished) => {
    await delay(1_000 * mean * Math.exp(deviation * random.normal() - deviation ** 2 / 2));
    return step(finished);
  };
  return run;
}
