import { basePolicyName, builtInPolicyNames } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { hostWeakness } from '@gyre/sandbox';
import { familyOf } from '@gyre/tasks';
import {
  flywheel as runFlywheel,
  type FlywheelResult,
  type GivenSettings,
  type PresetName,
  presetNames,
  presetOf,
  scratch,
  servedPreset,
  type Settings,
  trainedWeights,
  defaultFamilies,
} from '@gyre/training';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '../command.js';
import {
  inputFile,
  inputFolder,
  optionalCount,
  optionalOneOf,
  optionalWords,
  outputFolder,
  toggle,
} from '../flags/flag.js';
import { checkPath } from '../flags/checkPath.js';
import { machine } from '../doctor/machine.js';
import { duration } from '../terminal/progress.js';
import {
  curvesOf,
  cycleEntries,
  type Family,
  type Filmstrip,
  filmstripOf,
  type Interval,
  writeReport,
} from '@gyre/studio';
import { criticEngineFlag } from '../flags/serverFlags.js';
import {
  architectureFlag,
  exclusive,
  readSettings,
  servedFlags,
  trainingFlags,
  withoutUndefined,
} from '../flags/settings.js';
import { resultTable } from '../terminal/resultTable.js';
import { servedWeights } from './trainFolder.js';
import { openQueued, queueFlags, withoutQueueFlags } from './trainQueued.js';

export const flywheel = command({
  description:
    'Trains a policy on browser tasks: the native one on this machine, or with --engine a model behind servers. It starts from the base policy, other weights or random ones. Each cycle runs PPO, then several attempts at each task (rejection sampling), and is evaluated on the dev split. Successes feed SFT in the next cycle; failures feed continual training of a native policy (predict the action from the screens before and after). Random, start, trained and oracle play held-out tasks. Ends with a table and report.html: curves, intervals and filmstrips. The directory holds the lake, the weights and the settings. Resume an interrupted run with --resume.',
  examples: [
    'gyre flywheel --minutes 10 --seed 2 --json',
    'gyre flywheel --family menu,slider',
    'gyre flywheel --from-scratch',
    'gyre flywheel --preset standard --directory runs/standard',
    'gyre flywheel --engine http://127.0.0.1:8000 --model nano --minutes 60',
    'gyre flywheel --resume runs/standard',
  ],
  flags: {
    ...trainingFlags(
      `${defaultFamilies.fromWeights.join(', ')}; from scratch ${defaultFamilies.fromScratch.join(', ')}`,
    ),
    ...servedFlags,
    criticEngine: criticEngineFlag,
    cycles: optionalCount('maximum number of cycles (default: from the preset)', { example: '3' }),
    preset: optionalOneOf(presetNames, 'preset (default: quick, unless --settings or --engine is given)'),
    resume: inputFolder('directory of an interrupted run to resume', { default: undefined }),
    bring: {
      ...optionalWords('directories of other runs, to train on their episodes too', { example: 'runs/imported' }),
      check: (flag: string, value: unknown) => {
        for (const folder of (value as string[] | undefined) ?? []) checkPath(flag, folder, 'read a folder');
      },
    },
    evaluate: optionalCount('held-out episodes per family, before and after', { example: '200' }),
    from: inputFile(
      'weights to start from: a file, base, pixels, or tinker://MODEL/weights/NAME (default: base, or the weights that the server has)',
      { default: undefined, words: [...builtInPolicyNames, servedWeights] },
    ),
    fromScratch: toggle('start from random weights: letters and demonstrations first'),
    architecture: architectureFlag,
    directory: outputFolder('output directory (default: a new folder in runs)', { default: undefined }),
    ...queueFlags,
  },
  async run(flags, { terminal, signal, typedSeed }) {
    const { settings: file, directory, from, fromScratch, preset, resume, ...typed } = withoutQueueFlags(flags);
    if (fromScratch && from !== undefined) throw exclusive('--from-scratch', `--from ${from}`);
    if (preset !== undefined && file !== undefined) throw exclusive('--preset', '--settings');
    if (resume !== undefined) {
      if (directory !== undefined) throw exclusive('--resume', '--directory');
      if (preset !== undefined || file !== undefined) throw exclusive('--resume', preset ? '--preset' : '--settings');
      await expectRun(resume);
    }
    const settings = await readSettings(resume === undefined ? file : join(resume, 'settings.json'), {
      ...(file === undefined && resume === undefined && startSettings({ preset, fromScratch, ...typed })),
      ...withoutUndefined(typed),
      ...withoutUndefined({ from: fromScratch ? scratch : from, seed: typedSeed }),
    });
    const createdAt = new Date().toISOString();
    const folder =
      resume ?? directory ?? join('runs', `flywheel-${createdAt.slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`);
    const beginning =
      settings.from === scratch
        ? 'from random weights'
        : settings.from === basePolicyName
          ? settings.served
            ? 'from the weights that the server has'
            : 'from the base policy'
          : `from ${settings.from}`;
    terminal.log(
      `seed ${settings.seed}, up to ${settings.cycles} cycles, ${settings.minutes} minutes, ${beginning}, output in ${folder}`,
    );

    const started = performance.now();
    let stage = '';
    let stageStarted = started;
    const progress = terminal.progress('flywheel');
    const result = await runFlywheel(settings, {
      dir: folder,
      signal,
      resume: resume !== undefined,
      queue: (workspace, known) => openQueued(workspace, known, flags),
      onProgress: (now) => {
        if (now.stage !== stage) {
          if (stage !== '') terminal.log(`${stage}: ${duration(performance.now() - stageStarted)}`);
          stage = now.stage;
          stageStarted = performance.now();
        }
        // A run is bounded by its minutes.
        const share = (performance.now() - started) / 60_000 / settings.minutes;
        progress.update(Math.min(0.99, share), `${now.stage}: ${now.message}`);
      },
    });
    progress.update(1);
    terminal.end();

    const report = join(folder, 'report.html');
    const families = familiesOf(result);
    await writeReport(report, {
      title: 'Flywheel report',
      createdAt,
      seed: settings.seed,
      minutes: result.minutes,
      machine: machine(),
      settings: flat(result.settings),
      families,
      gain: result.gain,
      cycles: cycleEntries(result.cycles),
      curves: curvesOf(result),
      filmstrips: await filmstripsOf(result, join(folder, 'lake')),
      notes: [...notesOf(settings), ...weaknessNotes()],
    });

    terminal.print();
    for (const line of resultTable(families, result.gain)) terminal.print(line);
    for (const line of cycleLines(result)) terminal.print(line);
    terminal.print();
    terminal.print('success on held-out tasks, with 95 % intervals; gain: trained minus start on the same tasks');
    terminal.print(`report: ${report}`);
    const weights = join(folder, trainedWeights(settings));
    terminal.print(`weights: ${weights}`);
    const figures = families.map(({ family, n, random, start, trained, oracle, gain }) => ({
      family,
      n,
      random,
      start,
      trained,
      oracle,
      gain,
    }));
    const cycles = result.cycles.all.length - 1;
    return {
      ok: true,
      result: { families: figures, gain: result.gain, cycles, minutes: result.minutes, report, weights },
    };
  },
});

function startSettings({
  preset,
  fromScratch,
  engine,
}: {
  readonly preset: PresetName | undefined;
  readonly fromScratch: boolean;
  readonly engine: string | undefined;
}): GivenSettings {
  return preset === undefined && engine !== undefined ? servedPreset : presetOf(preset ?? 'quick', fromScratch);
}

function familiesOf({ families }: FlywheelResult): Family[] {
  const interval = ({ success, low, high }: Interval): Interval => ({ success, low, high });
  return families.map((result) => ({
    family: result.family,
    description: familyOf(result.family).description,
    n: result.n,
    baselines: Math.min(result.random.n, result.oracle.n),
    random: interval(result.random),
    start: interval(result.start),
    trained: interval(result.trained),
    oracle: interval(result.oracle),
    gain: result.gain,
  }));
}

async function filmstripsOf({ shown: selected }: FlywheelResult, directory: string): Promise<Filmstrip[]> {
  const lake = await Lake.open(directory);
  try {
    const strips = new Map<string, Filmstrip>();
    const policies = new Map(selected.map(({ episode, policy }) => [episode, policy]));
    for await (const episode of lake.episodes({ ids: [...policies.keys()] })) {
      const policy = policies.get(episode.id);
      if (policy) strips.set(episode.id, await filmstripOf(lake, episode, policy));
    }
    // Keeps the order of choice.
    return [...policies.keys()].flatMap((id) => strips.get(id) ?? []);
  } finally {
    await lake.close();
  }
}

function notesOf({ seed }: Settings): string[] {
  return [
    `Reproduce with: gyre flywheel --settings settings.json --seed ${seed}. The seed determines tasks and initial weights; the number of training steps that fit into the minutes depends on the machine.`,
    'Success is measured with sampled actions (temperature 1).',
    'Episodes ended by infrastructure faults are excluded.',
  ];
}

function cycleLines({ cycles, settings }: FlywheelResult): string[] {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const rows = settings.families.map((family) => {
    const shares = cycles.all.map(({ dev }) => percent(dev.find((one) => one.family === family)?.success ?? 0));
    return `${family}: ${shares.join(', ')}`;
  });
  const ended = `stopped because ${cycles.stopped}; the weights of cycle ${cycles.tested} were tested`;
  return ['', `dev split, before the first cycle and after each: ${rows.join('; ')}`, ended];
}

async function expectRun(folder: string): Promise<void> {
  await access(join(folder, 'settings.json')).catch(() => {
    throw new GyreError('bad_input', `${folder} has no run`, {
      field: '--resume',
      fix: 'name the directory of a run of gyre flywheel',
    });
  });
}

function flat(value: object, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(flat(inner, `${prefix}${name}.`))
        : [[`${prefix}${name}`, inner]],
    ),
  );
}

function weaknessNotes(): string[] {
  const weakness = hostWeakness();
  return weakness ? [`In this run, ${weakness.message}. To change that, ${weakness.fix}.`] : [];
}
