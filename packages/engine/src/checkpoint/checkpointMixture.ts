import { GyreError } from '@gyre/protocol';
import { loadCheckpoint, type Checkpoint } from './checkpoint.js';
import { sameShape, show } from '../tensor/shape.js';

export interface MixtureOptions {
  /** Tensors of the result. Default: all. Leave out the moments of an optimiser, which belong to one run. */
  tensors?: (name: string) => boolean;
}

/**
 * Returns the weighted mean of checkpoints, tensor by tensor ("model soup", Wortsman et al. 2022, arXiv 2203.05482, for equal weights),
 * with metadata and half precision of the first. Weights may be negative; they are divided by their sum. One checkpoint is in memory at a
 * time. Throws 'bad_input' if there is none or if the weights do not fit, 'shape' naming the first difference of two, and what
 * `loadCheckpoint` throws.
 */
export async function averageCheckpoints(
  paths: readonly string[],
  weights: readonly number[] = paths.map(() => 1),
  options: MixtureOptions = {},
): Promise<Checkpoint> {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length !== paths.length || !(Math.abs(total) > 0 && Math.abs(total) < Infinity)) {
    throw new GyreError('bad_input', `${paths.length} checkpoints cannot be weighed by [${weights.join(', ')}]`, {
      field: 'weights',
      fix: 'give a number for each checkpoint, whose sum is not 0',
    });
  }
  return mix(
    paths,
    weights.map((weight) => weight / total),
    options,
  );
}

async function mix(
  paths: readonly string[],
  shares: readonly number[],
  { tensors: wanted = () => true }: MixtureOptions,
): Promise<Checkpoint> {
  const [path, ...others] = paths;
  if (path === undefined) throw new GyreError('bad_input', 'there is no checkpoint to mix', { field: 'paths' });
  const first = await loadChosen(path, wanted);
  // In 64 bits, so that the order does not matter to a float32.
  const sums = new Map(
    Object.entries(first.tensors).map(([name, { data }]) => [name, scaled(data, shares[0] ?? 1)] as const),
  );
  for (const [place, other] of others.entries()) {
    const { tensors } = await loadChosen(other, wanted);
    refuseDifference(path, first, other, tensors);
    for (const [name, sum] of sums) addScaled(sum, tensors[name]!.data, shares[place + 1] ?? 1);
  }
  for (const [name, sum] of sums) first.tensors[name]!.data.set(sum);
  return first;
}

async function loadChosen(path: string, wanted: (name: string) => boolean): Promise<Checkpoint> {
  const { tensors, metadata } = await loadCheckpoint(path);
  return { tensors: Object.fromEntries(Object.entries(tensors).filter(([name]) => wanted(name))), metadata };
}

function scaled(data: Float32Array, share: number): Float64Array {
  const sum = new Float64Array(data.length);
  addScaled(sum, data, share);
  return sum;
}

function addScaled(sum: Float64Array, data: Float32Array, share: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += share * data[i]!;
}

function refuseDifference(path: string, first: Checkpoint, other: string, tensors: Checkpoint['tensors']): void {
  const refuse = (name: string, what: string) => {
    throw new GyreError('shape', `${path} and ${other} differ: ${what}`, {
      field: name,
      fix: 'mix checkpoints of one architecture',
    });
  };
  for (const [name, { shape }] of Object.entries(first.tensors)) {
    const found = tensors[name];
    if (!found) refuse(name, `the second has no tensor ${name}`);
    else if (!sameShape(shape, found.shape)) refuse(name, `${name} is ${show(shape)} and ${show(found.shape)}`);
  }
  for (const name of Object.keys(tensors)) {
    if (!first.tensors[name]) refuse(name, `the first has no tensor ${name}`);
  }
}
