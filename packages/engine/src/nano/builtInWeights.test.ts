import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { nativeArchitectures } from '../eyes/nativeArchitecture.js';
import { basePolicyName, pixelPolicyName, weightsFile } from './builtInWeights.js';
import { isTrainingState, loadPolicyCheckpoint } from './policyCheckpoint.js';

it.each([
  [basePolicyName, nativeArchitectures.nano],
  [pixelPolicyName, nativeArchitectures.scratch.nano],
])('%s are weights of nano in half precision, without an optimiser', async (name, expected) => {
  const { architecture, tensors, metadata } = await loadPolicyCheckpoint(weightsFile(name));
  expect(architecture).toEqual(expected);
  expect(metadata.optimiserSteps).toBe('0');
  for (const [name, { dtype, data }] of Object.entries(tensors)) {
    expect(isTrainingState(name)).toBe(false);
    expect(dtype).toBe('F16');
    expect(data.every(Number.isFinite)).toBe(true);
  }
});

it('the base policy and the reader that it needs have less than 25 MB', async () => {
  const reader = ['detector', 'recogniser'].map((part) => `../../../reader/own/${part}.safetensors`);
  const files = [weightsFile(basePolicyName), ...reader.map((path) => new URL(path, import.meta.url))];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(25e6);
});

it('every other name is a path', () => {
  expect(weightsFile('./base')).toBe('./base');
  expect(weightsFile('a.safetensors')).toBe('a.safetensors');
});
