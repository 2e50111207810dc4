import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedEngine, engineInternals, nativeArchitectures, type SceneArchitecture } from '@gyre/engine';
import { writeCurves } from '@gyre/studio';
import {
  BaseRecipe,
  collectDemonstrations,
  collectHeldOut,
  PerceptionCache,
  RenderedSheets,
  rightDecisions,
  trainBase,
  Workspace,
} from '@gyre/training';
import { percent } from './measurement.js';
import { Records } from './records.js';

/**
 * Trains the policy that reads with one part at a time held at zero, and measures held-out decisions. All variants of a
 * seed share the demonstrations, their order and the number of steps. The directory is one of `gyre train base`, whose
 * recipe and episodes are used.
 *
 *     node experiments/dist/readingParts.js --directory runs/base --steps 400
 */
interface Variant {
  name: string;
  /** Relations that attention does not see. */
  relations?: (keyof typeof engineInternals.relationPlaneCounts)[];
  /** Prefixes of parameters that stay zero. */
  parameters?: string[];
  architecture?: Partial<SceneArchitecture>;
  optimiser?: 'adamw';
}

const variants: readonly Variant[] = [
  { name: 'as it is' },
  { name: 'no likeness of strings', relations: ['likeness'], parameters: ['match.'] },
  { name: 'no quantities', relations: ['quantities'], parameters: ['traits.'] },
  { name: 'no geometry', relations: ['geometry'] },
  { name: 'no order of the instruction', relations: ['order'] },
  { name: 'no pixels of tokens', parameters: ['crop.out.', 'look.'] },
  { name: 'no cells', parameters: ['image.', 'cell.near.', 'cell.wide.'] },
  { name: 'three layers', architecture: { layers: 3 } },
  { name: 'two layers', architecture: { layers: 2 } },
  { name: 'AdamW', optimiser: 'adamw' },
];

interface Measured {
  variant: string;
  seed: number;
  parameters: number;
  /** Training without evaluation. */
  seconds: number;
  decisions: number;
  curve: [step: number, right: number][];
}

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/base' },
    steps: { type: 'string', default: '400' },
    seeds: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const steps = Number(flags.steps);
const stored = BaseRecipe.parse(JSON.parse(await readFile(join(flags.directory, 'recipe.json'), 'utf8')));
const recipe = { ...stored, steps, decay: Math.round(steps / 2) };
const records = await Records.open<Measured>(join(flags.directory, 'readingParts.jsonl'));
const architecture = nativeArchitectures[recipe.size];
const workspace = await Workspace.open({
  ...{ dir: flags.directory, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture },
});
try {
  const { lake } = workspace;
  const demonstrations = await collectDemonstrations(workspace, recipe);
  const heldOut = await collectHeldOut(workspace, recipe);
  const sheets = new RenderedSheets(workspace.pool, new PerceptionCache(join(flags.directory, 'pages')), recipe.seed);
  for (const seed of flags.seeds.split(',').map(Number)) {
    for (const variant of variants) {
      if (flags.only !== undefined && !flags.only.split(',').includes(variant.name)) continue;
      if (records.entries.some((one) => one.variant === variant.name && one.seed === seed)) continue;
      const engine = new EmbeddedEngine({
        architecture: { ...architecture, ...variant.architecture },
        ...{ seed, threads: 1, optimiser: variant.optimiser ?? recipe.optimiser, average: true },
      });
      const curve: Measured['curve'] = [];
      let seconds = 0;
      let began = performance.now();
      clear(engine, variant);
      await trainBase({
        ...{ engine, lake, recipe: { ...recipe, seed }, from: 0, demonstrations, sheets },
        onStep: async ({ step }) => {
          clear(engine, variant);
          if (step % 100 !== 0) return;
          seconds += (performance.now() - began) / 1000;
          curve.push([step, (await rightDecisions(engine, lake, heldOut)) / heldOut.length]);
          began = performance.now();
        },
      });
      const { size: parameters } = engine.parameters;
      await engine.close();
      const entry = {
        variant: variant.name,
        seed,
        parameters,
        seconds: Math.round(seconds),
        decisions: heldOut.length,
      };
      await records.add({ ...entry, curve });
      process.stderr.write(`${variant.name}, seed ${seed}: ${percent(curve.at(-1)?.[1] ?? NaN)} %\n`);
    }
  }
} finally {
  await workspace.close();
}
await writeCurves(join(flags.directory, 'readingParts.html'), {
  title: 'What the policy that reads is made of',
  paragraphs: [
    `Held-out decisions that do what the demonstration accepts, with one part at a time held at zero; ${steps} steps from random weights.`,
  ],
  table: [
    ['variant', 'seed', 'parameters', 'seconds', 'right'],
    ...records.entries.map(({ variant, seed, parameters, seconds, curve }) => [
      ...[variant, String(seed), `${(parameters / 1e6).toFixed(2)}M`, String(seconds)],
      `${percent(curve.at(-1)?.[1] ?? NaN)} %`,
    ]),
  ],
  curves: [
    {
      title: 'Held-out decisions',
      x: 'steps',
      y: 'share right',
      series: records.entries.map(({ variant, seed, curve }) => ({ name: `${variant}, seed ${seed}`, points: curve })),
    },
  ],
});

/** Sets the parts that a variant lacks to zero, as if they were not there. */
function clear({ parameters }: EmbeddedEngine, { relations = [], parameters: prefixes = [] }: Variant): void {
  for (const { name } of parameters.specs) {
    if (prefixes.some((prefix) => name.startsWith(prefix))) parameters.view(name).fill(0);
  }
  const weights = parameters.view('bias.w');
  let from = 0;
  for (const [group, count] of Object.entries(engineInternals.relationPlaneCounts)) {
    for (let plane = from; plane < from + count; plane++) {
      if (!relations.some((relation) => relation === group)) continue;
      for (let row = plane; row < weights.length; row += engineInternals.biasPlanes) weights[row] = 0;
    }
    from += count;
  }
}
