import type { CycleResult, CyclesResult } from '@gyre/training';
import { linksOf } from '../runs/routeLinks.js';
import type { CyclesEntry } from './report.js';

export function cycleEntries({ all: cycles, tested, stopped }: CyclesResult): CyclesEntry {
  return {
    tested,
    stopped,
    cycles: cycles.map((cycle) => ({
      ...cycle,
      links: linksOf(cycle.cycle, cycle.flows).map(({ from, to, n }) => ({ from, to, n })),
      trainedOn: trainedOn(cycle),
    })),
  };
}

function trainedOn({ ct, sft, rl, generated }: CycleResult): string {
  return [
    ct && `CT: ${ct.steps} steps, ${ct.data} transitions of ${ct.episodes} episodes`,
    sft && `SFT: ${sft.steps} steps, ${sft.data} decisions of ${sft.episodes} episodes`,
    rl && `RL: ${rl.iterations} iterations, ${rl.turns} turns`,
    generated &&
      `generated: ${generated.solved} of ${generated.tasks} tasks solved in ${generated.attempts} attempts each`,
  ]
    .filter((part) => part !== undefined)
    .join('; ');
}
