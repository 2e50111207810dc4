import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nativePolicy } from '@gyre/agent';
import { type NativeDatum, EmbeddedEngine, Random, engineInternals, architectures } from '@gyre/engine';
import { type PerceptionSample, type QuestionKind, perceive } from '@gyre/tasks';
import {
  PerceptionFeed,
  Workspace,
  demonstrate,
  evaluatePages,
  learningRate,
  pooled,
  readDemonstrations,
  resultOf,
} from '@gyre/training';
import type { Measurement } from './measurement.js';
import { coordinates, patches } from './networks.js';
import { writeAblations } from './page.js';
import { Records } from './records.js';

const taskFamilies = ['click', 'form', 'maze'];

/**
 * Trains the native policy with one change at a time and measures it on held-out pages and tasks. All variants of a
 * seed share pages, demonstrations and the number of optimiser steps.
 *
 *     node experiments/dist/ablations.js --directory runs/ablations
 */
interface Variant {
  name: string;
  blueprint: engineInternals.Blueprint;
  /** Whether it trains on rendered pages in addition to demonstrations. */
  pages: boolean;
}

const variants: readonly Variant[] = [
  { name: 'as it is', blueprint: engineInternals.nativeBlueprint, pages: true },
  { name: 'coordinates, no pointer', blueprint: coordinates, pages: true },
  { name: 'patches, no convolutions', blueprint: patches, pages: true },
  { name: 'demonstrations alone', blueprint: engineInternals.nativeBlueprint, pages: false },
];

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/ablations' },
    steps: { type: 'string', default: '400' },
    letters: { type: 'string', default: '300' },
    seeds: { type: 'string', default: '1,2,3' },
  },
});
const [steps, letterSteps] = [Number(flags.steps), Number(flags.letters)];
const seeds = flags.seeds.split(',').map(Number);
const trainedPages = 1536;
const testedPages = 192;
const testedTasks = 100;
const batch = { pages: 8, decisions: 12 };
const records = await Records.open<Measurement>(join(flags.directory, 'ablations.jsonl'));
const measurements = records.entries;
const workspace = await Workspace.open({ dir: flags.directory, seed: 1, threads: 1, browsers: 1, sessions: 16 });
try {
  await demonstrateOnce();
  const demonstrations = await readDemonstrations(workspace, { thoughts: true });
  const pages = await new PerceptionFeed(workspace.pool, 1).take(0, trainedPages);
  const tested: PerceptionSample[] = [];
  const questionKinds = new Set<QuestionKind>(['label', 'colour', 'shape']);
  for await (const samples of perceive(workspace.pool, {
    seed: 9,
    count: testedPages,
    split: 'test',
    looks: 'tasks',
  })) {
    for (const sample of samples) {
      tested.push({ ...sample, questions: sample.questions.filter(({ kind }) => questionKinds.has(kind)) });
    }
  }
  for (const seed of seeds) {
    for (const variant of variants) {
      if (measurements.some((one) => one.variant === variant.name && one.seed === seed)) continue;
      const measurement = await measured(variant, seed, { demonstrations, pages, tested });
      await records.add(measurement);
      process.stderr.write(`${JSON.stringify({ ...measurement, curve: measurement.curve.at(-1) })}\n`);
    }
  }
} finally {
  await workspace.close();
}
await writeAblations(join(flags.directory, 'ablations.html'), measurements);

async function measured(
  { name, blueprint, pages: learnsPages }: Variant,
  seed: number,
  data: { demonstrations: { family: string; datum: NativeDatum }[]; pages: NativeDatum[]; tested: PerceptionSample[] },
): Promise<Measurement> {
  const engine = new EmbeddedEngine({ architecture: architectures.nano, seed, threads: 1, blueprint });
  const random = new Random(seed).fork(name);
  const some = <T>(all: readonly T[], count: number): T[] =>
    Array.from({ length: count }, () => all[random.int(all.length)] as T);
  const families = taskFamilies.map((family) => data.demonstrations.filter((one) => one.family === family));
  const curve: Measurement['curve'] = [];
  let seconds = 0;
  const timed = async (work: () => Promise<void>) => {
    const started = performance.now();
    await work();
    seconds += (performance.now() - started) / 1000;
  };
  try {
    for (let step = 0; learnsPages && step < letterSteps; step++) {
      await timed(async () => {
        await engine.forwardBackward({ data: some(data.pages, batch.pages), loss: { name: 'letters' } });
        const rate = learningRate(step, { peak: 6e-3, warmup: 50, steps: letterSteps });
        await engine.optimStep({ learningRate: rate, part: 'stem' });
      });
    }
    // Without pages, demonstrations get their steps too.
    const total = learnsPages ? steps : 2 * steps;
    for (let step = 0; step < total; step++) {
      await timed(async () => {
        const rate = learningRate(step, { peak: 2e-3, warmup: 100, steps: total });
        if (learnsPages) {
          const loss = { name: 'cross_entropy', glyphWeight: 3 } as const;
          await engine.forwardBackward({ data: some(data.pages, batch.pages), loss });
          await engine.optimStep({ learningRate: rate });
        }
        const datums = families.flatMap((family) => some(family, batch.decisions / families.length));
        await engine.forwardBackward({ data: datums.map(({ datum }) => datum), loss: { name: 'cross_entropy' } });
        await engine.optimStep({ learningRate: rate });
      });
      const done = step + 1;
      if (done % (total / 8) === 0)
        curve.push({ step: learnsPages ? done : done / 2, ...(await seen(engine, data.tested)) });
    }
    return {
      variant: name,
      seed,
      parameters: engine.parameters.size,
      seconds: Math.round(seconds),
      curve,
      tasks: await solved(engine, `${name} ${seed}`),
    };
  } finally {
    await engine.close();
  }
}

async function seen(
  engine: EmbeddedEngine,
  tested: readonly PerceptionSample[],
): Promise<{ label: number; colour: number; shape: number }> {
  const allPages = async function* () {
    yield tested;
  };
  const results = await evaluatePages(engine, allPages());
  const successOf = (kind: QuestionKind) => pooled(results.filter((one) => one.kind === kind)).success;
  return { label: successOf('label'), colour: successOf('colour'), shape: successOf('shape') };
}

async function solved(engine: EmbeddedEngine, name: string): Promise<Record<string, number>> {
  const jobs = taskFamilies.flatMap((family) => [...workspace.jobs(family, 'test', 0, testedTasks, 'ablation')]);
  const { episodes } = await workspace.play(nativePolicy({ name, engine }), jobs);
  return Object.fromEntries(taskFamilies.map((family) => [family, resultOf(family, episodes).success]));
}

async function demonstrateOnce(): Promise<void> {
  for await (const _ of workspace.lake.episodes({ purpose: 'demonstration' })) return;
  await demonstrate(workspace, { seed: 1, demonstrations: { click: 300, form: 400, maze: 600 } });
}
