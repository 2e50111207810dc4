import { mergePolicies, saveCheckpoint } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { command, UsageError } from '../command.js';
import { chosenFamilies } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count, optionalNumbers, path, toggle } from '../flags/flag.js';
import { halfFlag, halfType } from '../flags/half.js';
import { sweepTable } from '../eval/sweepTable.js';
import { screenReaderFlag } from '../policies/policies.js';
import { checkPath } from '../flags/checkPath.js';
import { type Sweep, unplayableReason, sweepMerge, defaultSessions } from '@gyre/training';
import { table } from '../terminal/table.js';
import { adapterFolders, checkMergeable, mergeLora } from './mergeAdapters.js';

export const merge = command({
  description:
    "Averages checkpoints of one architecture, tensor by tensor, without optimiser state. Weights are normalised by their sum; a negative one extrapolates: -0.5,1.5 goes past the second by half the distance from the first. --sweep searches the weights that do best on the dev split, and compares them with each checkpoint on the test split. It is meant for specialists that were trained from the same start.\n\nLoRA adapters (folders in PEFT's format, or .json checkpoints with a pulled adapter) of one base model give an adapter whose update is exactly the weighted mean of theirs: its rank is the sum of their ranks. A module that an adapter lacks has update 0 there.",
  examples: [
    'gyre merge runs/a.safetensors runs/b.safetensors --weights 0.3,0.7 --output runs/both.safetensors',
    'gyre merge runs/a.safetensors runs/b.safetensors --sweep --family click,vault --output runs/both.safetensors',
    'gyre merge runs/a.safetensors --half bf16 --output runs/small.safetensors',
    'gyre merge runs/forms/trained.json runs/menus/trained.json --weights 0.5,0.5 --output runs/both',
  ],
  arguments: [
    {
      name: 'checkpoints',
      description:
        'one or more .safetensors files of a native policy; or LoRA adapters: folders, or .json files of a served policy',
      schema: z.string().min(1, { error: 'must not be empty' }),
      example: 'runs/a.safetensors',
      several: true,
      check: checkMergeable,
    },
  ] as const,
  flags: {
    weights: optionalNumbers('weight of each checkpoint (default: equal)', { example: '0.5,0.5' }),
    output: path('output file, or folder of an adapter (default: merged.safetensors, or merged)', {
      default: undefined,
    }),
    half: halfFlag,
    sweep: toggle('search the weights on the dev split: a grid for two checkpoints, coordinate descent for more'),
    parts: count('with --sweep: weights are multiples of 1/N', { default: 4 }),
    devEpisodes: count('with --sweep: dev tasks per family and candidate', { default: 60 }),
    episodes: count('with --sweep: test tasks per family', { default: 200 }),
    sessions: count('with --sweep: parallel episodes', { default: defaultSessions }),
    browsers: count('with --sweep: browser processes', { default: 2 }),
    screenReader: screenReaderFlag,
    ...familyFlags(),
  },
  async run({ weights: typed, output: named, half, ...flags }, { terminal, signal, seed }, checkpoints) {
    if (typed && typed.length !== checkpoints.length) {
      throw new GyreError('bad_input', `got ${checkpoints.length} checkpoints but ${typed.length} weights`, {
        field: '--weights',
        fix: 'give one per checkpoint, such as --weights 0.5,0.5',
      });
    }
    if (flags.sweep && typed) {
      throw new UsageError('--weights and --sweep cannot be combined', {
        field: '--weights',
        fix: 'omit one of them',
      });
    }
    if (flags.sweep && checkpoints.length < 2) {
      throw new UsageError('--sweep needs two checkpoints or more', { field: 'checkpoints', fix: 'name another' });
    }
    const folders = await adapterFolders(checkpoints);
    if (folders && flags.sweep) {
      throw new UsageError('--sweep plays native policies only', {
        field: '--sweep',
        fix: 'merge with --weights, serve the adapters by vLLM, and compare them with gyre eval --model',
      });
    }
    if (folders) {
      return mergeLora({ folders, weights: typed, half: halfType(half), output: named ?? 'merged' }, terminal);
    }
    const output = named ?? 'merged.safetensors';
    checkPath('--output', output, 'write a file');
    let sweep: Sweep | undefined;
    if (flags.sweep) {
      const families = await chosenFamilies(flags);
      for (const family of families) {
        const reason = unplayableReason(family, false);
        if (reason === undefined) continue;
        throw new UsageError(`${family.name} cannot be played: ${reason}`, {
          field: '--family',
          fix: 'choose other families',
        });
      }
      // Reports incompatible checkpoints before playing.
      await mergePolicies(checkpoints);
      sweep = await sweepMerge(
        { ...flags, checkpoints, families, testEpisodes: flags.episodes, seed },
        {
          signal,
          progress: terminal.progress('merge'),
          onCandidate: ({ weights, mean }) =>
            terminal.log(`${weights.join(', ')}: ${(100 * mean).toFixed(1)} % of dev`),
        },
      );
      terminal.end();
      for (const line of table(...sweepTable(sweep))) terminal.print(line);
      terminal.print(`weights: ${sweep.weights.join(', ')}`);
    }
    const weights = sweep?.weights ?? typed;
    const merged = await mergePolicies(checkpoints, weights, halfType(half));
    await saveCheckpoint(output, merged);
    terminal.print(`${checkpoints.length} checkpoints, ${Object.keys(merged.tensors).length} tensors: ${output}`);
    const { dev, test } = sweep ?? {};
    const result = { checkpoints, weights: weights ?? checkpoints.map(() => 1), output, ...(sweep && { dev, test }) };
    return { ok: true, result };
  },
});
