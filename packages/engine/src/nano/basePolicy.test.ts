import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { nano } from './architecture.js';
import { baseWeights, weightsFile } from './basePolicy.js';
import { isTrainingState, loadPolicyCheckpoint } from './policyCheckpoint.js';

it('are weights of nano in half precision, without an optimiser, and small', async () => {
  const { architecture, tensors, metadata } = await loadPolicyCheckpoint(weightsFile('base'));
  expect(architecture).toEqual(nano);
  expect(metadata.optimiserSteps).toBe('0');
  for (const [name, { dtype, data }] of Object.entries(tensors)) {
    expect(isTrainingState(name)).toBe(false);
    expect(dtype).toBe('F16');
    expect(data.every(Number.isFinite)).toBe(true);
  }
  expect((await stat(baseWeights)).size).toBeLessThan(25e6);
});

it('is named `base`; every other name is a path', () => {
  expect(weightsFile('./base')).toBe('./base');
  expect(weightsFile('a.safetensors')).toBe('a.safetensors');
});
