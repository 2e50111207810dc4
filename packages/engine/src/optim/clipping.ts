import { GyreError } from '@gyre/protocol';
import { sumOfSquares } from './adamwKernel.js';
import type { OptimiserStep } from './optimiser.js';
import type { Learning } from './parameterGroups.js';

export interface Clipping extends OptimiserStep {
  /** Factor that limits the global norm. */
  readonly scale: number;
}

/**
 * Computes the factor that limits the global norm of the moving parameters' gradient. Throws 'shape' for a gradient of
 * another length, 'bad_input' for an invalid learning rate, 'numeric' for a non-finite gradient.
 */
export function clipping(
  gradient: Float32Array,
  moving: readonly Learning[],
  { size, learningRate, clipNorm }: { size: number; learningRate: number; clipNorm: number },
): Clipping {
  if (gradient.length !== size) {
    throw new GyreError('shape', `the gradient has ${gradient.length} values, but there are ${size} parameters`, {
      field: 'gradient',
    });
  }
  if (!Number.isFinite(learningRate) || learningRate < 0) {
    throw new GyreError('bad_input', `the learning rate ${learningRate} is invalid`, {
      field: 'learningRate',
      fix: 'use a number of 0 or more',
    });
  }
  let squares = 0;
  for (const { name, start, end } of moving) {
    const parameterSquares = sumOfSquares(gradient, start, end);
    // Squares of float32 cannot overflow float64: a non-finite sum means a non-finite gradient.
    if (!Number.isFinite(parameterSquares)) {
      throw new GyreError('numeric', `the gradient of ${name} is not finite`, {
        field: name,
        fix: 'lower the learning rate, or resume from the last checkpoint',
      });
    }
    squares += parameterSquares;
  }
  const gradientNorm = Math.sqrt(squares);
  const clipped = gradientNorm > clipNorm;
  return { gradientNorm, clipped, scale: clipped ? clipNorm / gradientNorm : 1 };
}

export function notFinite(name: string): GyreError {
  return new GyreError('numeric', `the weights or moments of ${name} are not finite after the update`, {
    field: name,
    fix: 'resume from the last checkpoint with a lower learning rate',
  });
}
