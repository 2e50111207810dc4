import { GyreError } from '@gyre/protocol';

export type Shape = readonly number[];

export function sizeOf(shape: Shape): number {
  return shape.reduce((product, length) => product * length, 1);
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((length, axis) => length === b[axis]);
}

export function shapeError(op: string, message: string, fix?: string): GyreError {
  return new GyreError('shape', `${op}: ${message}`, { field: op, ...(fix === undefined ? {} : { fix }) });
}

export function show(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

export function checkShape(op: string, shape: Shape): void {
  if (!shape.every((length) => Number.isInteger(length) && length >= 1)) {
    throw shapeError(op, `${show(shape)} is not a shape`, 'use whole numbers of 1 or more');
  }
}

export function axisOf(op: string, shape: Shape, axis: number): number {
  const dimension = axis < 0 ? axis + shape.length : axis;
  if (!Number.isInteger(axis) || dimension < 0 || dimension >= shape.length) {
    throw shapeError(op, `axis ${axis} is out of range for ${show(shape)}`);
  }
  return dimension;
}

/** Broadcasts by numpy's rule. */
export function broadcast(op: string, a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const lengthA = a[axis - rank + a.length] ?? 1;
    const lengthB = b[axis - rank + b.length] ?? 1;
    if (lengthA !== lengthB && lengthA !== 1 && lengthB !== 1) {
      throw shapeError(
        op,
        `cannot broadcast ${show(a)} and ${show(b)}`,
        'make lengths equal or 1, from the last axis on',
      );
    }
    return lengthA === 1 ? lengthB : lengthA;
  });
}
