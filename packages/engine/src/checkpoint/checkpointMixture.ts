import { GyreError } from '@gyre/protocol';
import { loadCheckpoint, type Checkpoint } from './checkpoint.js';
import { sameShape, show } from '../tensor/shape.js';

export interface MixtureOptions {
  /** Excludes, for example, optimiser moments, which belong to one run. Default: all. */
  tensors?: (name: string) => boolean;
}

/**
 * Averages checkpoints ("model soup", Wortsman et al. 2022, arXiv 2203.05482), with metadata and storage types of the
 * first. Weights are normalised and may be negative. Holds one checkpoint in memory at a time.
 */
export async function averageCheckpoints(
  paths: readonly string[],
  weights: readonly number[] = paths.map(() => 1),
  options: MixtureOptions = {},
): Promise<Checkpoint> {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length !== paths.length || !(Math.abs(total) > 0 && Math.abs(total) < Infinity)) {
    throw new GyreError(
      'bad_input',
      `the weights [${weights.join(', ')}] are invalid for ${paths.length} checkpoints`,
      {
        field: 'weights',
        fix: 'give one number per checkpoint; their sum must not be 0',
      },
    );
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
  { tensors: isIncluded = () => true }: MixtureOptions,
): Promise<Checkpoint> {
  const [path, ...others] = paths;
  if (path === undefined) throw new GyreError('bad_input', 'no checkpoint was given', { field: 'paths' });
  const first = await loadChosen(path, isIncluded);
  // float64 sums round to the same float32 in any order.
  const sums = new Map(
    Object.entries(first.tensors).map(([name, { data }]) => [name, scaled(data, shares[0] ?? 1)] as const),
  );
  for (const [place, otherPath] of others.entries()) {
    const { tensors } = await loadChosen(otherPath, isIncluded);
    refuseDifference(path, first, otherPath, tensors);
    for (const [name, sum] of sums) addScaled(sum, tensors[name]!.data, shares[place + 1] ?? 1);
  }
  for (const [name, sum] of sums) first.tensors[name]!.data.set(sum);
  return first;
}

async function loadChosen(path: string, isIncluded: (name: string) => boolean): Promise<Checkpoint> {
  const { tensors, metadata } = await loadCheckpoint(path);
  return { tensors: Object.fromEntries(Object.entries(tensors).filter(([name]) => isIncluded(name))), metadata };
}

function scaled(data: Float32Array, share: number): Float64Array {
  const sum = new Float64Array(data.length);
  addScaled(sum, data, share);
  return sum;
}

function addScaled(sum: Float64Array, data: Float32Array, share: number): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += share * data[i]!;
}

function refuseDifference(path: string, first: Checkpoint, otherPath: string, tensors: Checkpoint['tensors']): void {
  const refuse = (name: string, difference: string) => {
    throw new GyreError('shape', `${path} and ${otherPath} differ: ${difference}`, {
      field: name,
      fix: 'mix checkpoints of one architecture',
    });
  };
  for (const [name, { shape }] of Object.entries(first.tensors)) {
    const second = tensors[name];
    if (!second) refuse(name, `the second has no tensor ${name}`);
    else if (!sameShape(shape, second.shape)) refuse(name, `${name} is ${show(shape)} and ${show(second.shape)}`);
  }
  for (const name of Object.keys(tensors)) {
    if (!first.tensors[name]) refuse(name, `the first has no tensor ${name}`);
  }
}
