import { fileURLToPath } from 'node:url';

/**
 * The weights that come with gyre, of `gyre train ct --preset base` in half precision. The model card beside them says what they can do.
 */
export const baseWeights = fileURLToPath(new URL('../../base/nano.safetensors', import.meta.url));

/** Names these weights wherever a file of weights is expected. */
export const basePolicyName = 'base';

export function weightsFile(named: string): string {
  return named === basePolicyName ? baseWeights : named;
}
