import { GyreError } from '@gyre/protocol';
import { averageCheckpoints } from '../checkpoint/checkpointMixture.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import type { HalfType } from '../checkpoint/half.js';
import { isTrainingState, loadPolicyCheckpoint } from './policyCheckpoint.js';

/** Averages policies or critics of one architecture like `averageCheckpoints`, without moments. */
export async function mergePolicies(
  paths: readonly string[],
  weights?: readonly number[],
  half?: HalfType,
): Promise<Checkpoint> {
  let first: string | undefined;
  for (const path of paths) {
    const architecture = JSON.stringify((await loadPolicyCheckpoint(path)).architecture);
    first ??= architecture;
    if (architecture === first) continue;
    throw new GyreError('bad_input', `${path} and ${paths[0]!} differ in architecture: ${architecture}`, {
      field: 'checkpoints',
      fix: `merge checkpoints of ${first}`,
    });
  }
  const merged = await averageCheckpoints(paths, weights, { tensors: (name) => !isTrainingState(name) });
  if (half) for (const tensor of Object.values(merged.tensors)) tensor.dtype = half;
  return { ...merged, metadata: { ...merged.metadata, optimiserSteps: '0' } };
}
