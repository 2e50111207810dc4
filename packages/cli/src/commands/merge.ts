import { mergePolicies, saveCheckpoint } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { command } from '../command.js';
import { optionalNumbers, path } from '../flag.js';
import { halfFlag, halfType } from '../half.js';

export const merge = command({
  name: 'merge',
  summary: 'one policy from several of the same architecture: the weighted mean of their weights',
  description:
    'Averages checkpoints tensor by tensor. Weights are divided by their sum; a negative one goes on along the line beyond the others: -0.5,1.5 is half as far again from the first to the second. Moments of the optimiser are left out.',
  examples: [
    'gyre merge runs/a.safetensors runs/b.safetensors --weights 0.3,0.7 --output runs/both.safetensors',
    'gyre merge runs/a.safetensors --half bf16 --output runs/small.safetensors',
  ],
  arguments: [
    {
      name: 'checkpoints',
      description: 'one or more .safetensors files of a native policy',
      schema: z.string().min(1, { error: 'must not be empty' }),
      example: 'runs/a.safetensors',
      several: true,
    },
  ],
  flags: {
    weights: optionalNumbers('how much each counts (default: all the same)', { example: '0.5,0.5' }),
    output: path('the file to write', { default: 'merged.safetensors' }),
    half: halfFlag,
  },
  async run({ weights, output, half }, { terminal }, checkpoints) {
    if (weights && weights.length !== checkpoints.length) {
      throw new GyreError('bad_input', `${checkpoints.length} checkpoints got ${weights.length} weights`, {
        field: '--weights',
        fix: 'give one for each, such as --weights 0.5,0.5',
      });
    }
    const merged = await mergePolicies(checkpoints, weights, halfType(half));
    await saveCheckpoint(output, merged);
    terminal.print(`${checkpoints.length} checkpoints, ${Object.keys(merged.tensors).length} tensors: ${output}`);
    return { ok: true, result: { checkpoints, weights: weights ?? checkpoints.map(() => 1), output } };
  },
});
