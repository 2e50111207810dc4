import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@gyre/engine';
import type { MachineRun, TaskRun } from '@gyre/tasks';

/** Of the logarithm: one turn in twenty takes three times the mean, or more. */
const deviation = 1;

/**
 * Makes every turn of a task take longer by a time in which this machine has nothing to do for it, as where the environment is elsewhere. The
 * times are drawn log-normally.
 *
 * @param mean in seconds.
 */
export function slowed<Run extends TaskRun | MachineRun>(run: Run, mean: number, random: Random): Run {
  const step = run.step.bind(run);
  run.step = async (finished) => {
    await delay(1_000 * mean * Math.exp(deviation * random.normal() - deviation ** 2 / 2));
    return step(finished);
  };
  return run;
}
