import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { CyclePoint, RouteFilter } from '../server/trainingWire.js';
import type { Routed } from './runJournal.js';

type Flow = Routed['flows'][number];

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

/** Links origins to verdicts, and verdicts to pools. Each has the filter that finds its episodes. */
export function linksOf(cycle: number, flows: readonly Pick<Flow, 'origin' | 'verdict' | 'to' | 'n'>[]) {
  const links = new Map<string, CyclePoint['links'][number]>();
  const add = (from: string, to: string, n: number, filter: RouteFilter): void => {
    const name = `${from} > ${to}`;
    links.set(name, { from, to, n: (links.get(name)?.n ?? 0) + n, filter });
  };
  for (const { origin, verdict, to, n } of flows) {
    add(origins[origin], verdicts[verdict], n, { cycle, origin, verdict });
    add(verdicts[verdict], places[to], n, { cycle, verdict, to });
  }
  return [...links.values()];
}

const RoutedLine = z.object({ episode: z.string(), origin: z.string(), verdict: z.string(), to: z.string() });

/**
 * Returns the ids of the episodes that a cycle routed so.
 *
 * @throws GyreError `bad_input` if the cycle has not routed yet
 */
export async function routedEpisodes(directory: string, filter: RouteFilter): Promise<string[]> {
  const { cycle, ...conditions } = filter;
  const path = join(directory, 'routes', `cycle-${cycle}.jsonl`);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GyreError('bad_input', `cycle ${cycle} has no routes`, {
      field: 'cycle',
      fix: 'choose a cycle that is complete',
      cause,
    });
  });
  const required = Object.entries(conditions) as [keyof typeof conditions, string | undefined][];
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const routed = RoutedLine.parse(JSON.parse(line));
    return required.every(([name, value]) => value === undefined || routed[name] === value) ? [routed.episode] : [];
  });
}
