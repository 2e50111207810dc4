import type { CycleResult, CyclesResult, Flow } from '@gyre/training';
import type { CyclesEntry } from './report.js';
import type { SankeyLink } from '../charts/sankey.js';

const origins: Record<Flow['origin'], string> = {
  demonstration: 'demonstrations',
  rollout: 'rollouts',
  rejection: 'rejection sampling',
  imported: 'imported',
  captured: 'captured',
  annotated: 'annotated',
};
const verdicts: Record<Flow['verdict'], string> = { solved: 'V = 1', failed: 'V = 0', none: 'not judged' };
const places: Record<Flow['to'], string> = { sft: 'SFT pool', ct: 'CT pool', rl: 'RL pool', 'left out': 'left out' };

export function cycleEntries({ all: cycles, tested, stopped }: CyclesResult): CyclesEntry {
  return {
    tested,
    stopped,
    cycles: cycles.map((cycle) => ({ ...cycle, links: linksOf(cycle.flows), trainedOn: trainedOn(cycle) })),
  };
}

/** Links origins to verdicts, and verdicts to pools. */
function linksOf(flows: readonly Flow[]): SankeyLink[] {
  const links = new Map<string, SankeyLink>();
  const add = (from: string, to: string, n: number): void => {
    const name = `${from} > ${to}`;
    links.set(name, { from, to, n: (links.get(name)?.n ?? 0) + n });
  };
  for (const { origin, verdict, to, n } of flows) {
    add(origins[origin], verdicts[verdict], n);
    add(verdicts[verdict], places[to], n);
  }
  return [...links.values()];
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
