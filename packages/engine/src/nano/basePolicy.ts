import { fileURLToPath } from 'node:url';

/** From `gyre train ct --preset base`; see the model card next to it. */
export const baseWeights = fileURLToPath(new URL('../../base/nano.safetensors', import.meta.url));

export const basePolicyName = 'base';

export function weightsFile(named: string): string {
  return named === basePolicyName ? baseWeights : named;
}
