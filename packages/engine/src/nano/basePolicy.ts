import { fileURLToPath } from 'node:url';

/**
 * The weights of the native policy that comes with gyre: of `gyre train ct --preset base`, in half precision. What it can do, and how it
 * was made, is in the model card beside them.
 */
export const baseWeights = fileURLToPath(new URL('../../base/nano.safetensors', import.meta.url));

/** Stands for these weights wherever a file of weights is named. */
export const basePolicyName = 'base';

/** The file of weights that is meant: `base` is that of the policy that comes with gyre, everything else a path. */
export function weightsFile(named: string): string {
  return named === basePolicyName ? baseWeights : named;
}
