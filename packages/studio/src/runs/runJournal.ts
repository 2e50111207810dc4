import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SampleOrigin } from '@gyre/lake';
import { z } from 'zod';

const Measured = z.object({
  purpose: z.string(),
  results: z.array(
    z.object({ family: z.string(), n: z.number(), success: z.number(), low: z.number(), high: z.number() }),
  ),
  episodes: z.array(
    z.object({
      id: z.string(),
      task: z.object({ id: z.string(), family: z.string() }),
      verdict: z.object({ success: z.boolean() }).optional(),
    }),
  ),
  givenUp: z.array(z.object({ task: z.object({ id: z.string(), family: z.string() }) })).optional(),
});
export type Measured = z.infer<typeof Measured>;

const Routed = z.object({
  flows: z.array(
    z.object({
      origin: SampleOrigin,
      verdict: z.enum(['solved', 'failed', 'none']),
      to: z.enum(['sft', 'ct', 'rl', 'left out']),
      n: z.number(),
    }),
  ),
  leftOut: z.record(z.string(), z.number()),
  pools: z.object({ ct: z.number(), sft: z.number(), rl: z.number() }),
  tallies: z.record(z.string(), z.object({ n: z.number(), successes: z.number() })),
});
export type Routed = z.infer<typeof Routed>;

const Baselines = z.object({ oracle: Measured.shape.results, random: Measured.shape.results });
export type Baselines = z.infer<typeof Baselines>;

const State = z.object({
  run: z.looseObject({ families: z.array(z.string()).optional(), seed: z.number().optional() }),
  stages: z.array(
    z.object({ stage: z.string(), minutes: z.number(), weights: z.string().optional(), outcome: z.unknown() }),
  ),
});

/** Folders of a run's journal, relative to its own: of `flywheel`, and of `train`. */
export const journalFolders = ['.', 'practice', 'rft'] as const;

/** The stages of a run that have finished. */
export interface RunJournal {
  /** Folder of the journal, relative to the run's. */
  readonly folder: (typeof journalFolders)[number];
  readonly families: readonly string[];
  readonly seed: number | undefined;
  /** Equal for runs that differ in nothing but the seed. */
  readonly settingsKey: string;
  readonly minutes: number;
  readonly lastStage: string | undefined;
  readonly baselines: Baselines | undefined;
  /** By name, such as `cycle 1`. */
  readonly measured: ReadonlyMap<string, Measured>;
  /** By cycle. */
  readonly routed: ReadonlyMap<number, Routed>;
  /** By cycle; 0 is everything before the first. */
  readonly cycleMinutes: ReadonlyMap<number, number>;
}

/** Reads the journal of a run; undefined without one, or if it is damaged. */
export async function readJournal(directory: string): Promise<RunJournal | undefined> {
  for (const folder of journalFolders) {
    const text = await readFile(join(directory, folder, 'state.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return journalOf(folder, text);
  }
  return undefined;
}

function journalOf(folder: RunJournal['folder'], text: string): RunJournal | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const state = State.safeParse(json);
  if (!state.success) return undefined;
  const { run, stages } = state.data;
  const { seed, ...settings } = run;
  const measured = new Map<string, Measured>();
  const routed = new Map<number, Routed>();
  const cycleMinutes = new Map<number, number>();
  let baselines: Baselines | undefined;
  for (const { stage, minutes, outcome } of stages) {
    const cycle = Number(/ (\d+)$/.exec(stage)?.[1] ?? 0);
    cycleMinutes.set(cycle, (cycleMinutes.get(cycle) ?? 0) + minutes);
    const evaluated = stage.startsWith('evaluate ') ? Measured.safeParse(outcome) : undefined;
    if (evaluated?.success) measured.set(stage.slice('evaluate '.length), evaluated.data);
    const sent = stage.startsWith('route ') ? Routed.safeParse(outcome) : undefined;
    if (sent?.success) routed.set(cycle, sent.data);
    if (stage === 'baselines') baselines = Baselines.safeParse(outcome).data;
  }
  return {
    ...{ folder, families: run.families ?? [], seed, settingsKey: JSON.stringify(settings) },
    minutes: stages.reduce((sum, { minutes }) => sum + minutes, 0),
    lastStage: stages.at(-1)?.stage,
    ...{ baselines, measured, routed, cycleMinutes },
  };
}
