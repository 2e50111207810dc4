import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pixelPolicyName } from '@gyre/engine';
import { type GivenSettings, type PresetName, flywheel, presetNames, presetOf } from '@gyre/training';
import { type FlywheelMeasurement, writeFlywheels } from './flywheelPage.js';
import { Records } from './records.js';

/**
 * Compares the flywheel with parts of it for the same time each. Resumes an interrupted run at the unfinished stage.
 * With `--preset`, the whole and its parts have the preset's families.
 *
 *     node experiments/dist/flywheels.js --directory runs/flywheels --families vault,tabs --minutes 12
 */
const off = { share: 0 };
const variants: Readonly<Record<string, NonNullable<GivenSettings['cycle']>>> = {
  'all of it': {},
  // Rejection sampling makes its data, and nothing else runs.
  'SFT alone': {
    ...{ ct: off, rl: off, sft: { share: 0.5, steps: 4000, most: 4096 } },
    generate: { share: 0.5, tasks: 512, attempts: 2 },
  },
  'RL alone': { ct: off, sft: off, generate: off },
  // CT trains on rendered pages alone: nothing is drawn from the pool of failures.
  'failures not learnt': { ct: { transitions: 0 } },
};

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/flywheels' },
    variants: { type: 'string', default: Object.keys(variants).join(',') },
    preset: { type: 'string' },
    /** Without a preset, vault,tabs,menu. */
    families: { type: 'string' },
    minutes: { type: 'string', default: '13.5' },
    /** Without a preset, 2. */
    cycles: { type: 'string' },
    tasks: { type: 'string', default: '200' },
    /** Dev episodes per family, before the first cycle and after each. */
    dev: { type: 'string' },
    seeds: { type: 'string', default: '1,2,3' },
    threads: { type: 'string', default: '2' },
  },
});
const chosen = flags.variants.split(',');
const unknown = chosen.find((name) => !(name in variants));
if (unknown !== undefined)
  throw new Error(`there is no variant "${unknown}"; --variants knows ${Object.keys(variants).join(', ')}`);
const whole: GivenSettings =
  flags.preset === undefined
    ? {
        ...{ families: ['vault', 'tabs', 'menu'], cycles: 2 },
        cycle: {
          ...{ evaluate: 40, ct: { every: 1, share: 0.1 }, sft: { share: 0.1 }, rl: { share: 0.7 } },
          generate: { share: 0.1, tasks: 32, attempts: 2 },
        },
      }
    : presetOf(presetNamed(flags.preset), false);
const families = flags.families?.split(',') ?? whole.families;
const cycles = flags.cycles === undefined ? whole.cycles : Number(flags.cycles);
const [minutes, tasks] = [Number(flags.minutes), Number(flags.tasks)];
const records = await Records.open<FlywheelMeasurement>(join(flags.directory, 'flywheels.jsonl'));
const measurements = records.entries;
for (const seed of flags.seeds.split(',').map(Number)) {
  for (const variant of chosen) {
    if (measurements.some((one) => one.variant === variant && one.seed === seed)) continue;
    const measurement = await turned(variant, seed);
    await records.add(measurement);
    process.stderr.write(`${JSON.stringify(measurement)}\n`);
  }
}
await writeFlywheels(join(flags.directory, 'flywheels.html'), measurements, { minutes, tasks });

async function turned(variant: string, seed: number): Promise<FlywheelMeasurement> {
  const dir = join(flags.directory, `${variant.replaceAll(' ', '-')}-${seed}`);
  const variantSettings = variants[variant]!;
  const cycle = {
    ...whole.cycle,
    ct: { ...whole.cycle?.ct, ...variantSettings.ct },
    sft: { ...whole.cycle?.sft, ...variantSettings.sft },
    rl: { ...whole.cycle?.rl, ...variantSettings.rl },
    generate: { ...whole.cycle?.generate, ...variantSettings.generate },
    ...(flags.dev !== undefined && { evaluate: Number(flags.dev) }),
    patience: 0,
  };
  const result = await flywheel(
    {
      ...{ ...whole, from: pixelPolicyName, seed, families, minutes, cycles, cycle },
      ...{ evaluate: tasks, baselines: 20, threads: Number(flags.threads) },
    },
    { dir, resume: true },
  );
  const successOf = (policy: 'random' | 'start' | 'trained' | 'oracle') =>
    Object.fromEntries(result.families.map(({ family, ...by }) => [family, by[policy].success]));
  return {
    ...{ variant, seed, minutes: result.minutes },
    ...{
      random: successOf('random'),
      start: successOf('start'),
      trained: successOf('trained'),
      oracle: successOf('oracle'),
    },
    cycles: result.cycles.all.map(({ stages, pools, dev }) => ({
      stages: Object.fromEntries(stages.map(({ stage, minutes, turns }) => [stage, { minutes, turns }])),
      pools,
      dev: Object.fromEntries(dev.map(({ family, success }) => [family, success])),
    })),
  };
}

function presetNamed(name: string): PresetName {
  const known = presetNames.find((one) => one === name);
  if (known === undefined) throw new Error(`there is no preset "${name}"; --preset knows ${presetNames.join(', ')}`);
  return known;
}
