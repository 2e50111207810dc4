import { GyreError } from '@gyre/protocol';
import type { ParameterStore } from '../runtime/parameters.js';
import { sizeOf, type Shape } from '../tensor/shape.js';

export interface ParameterGroup {
  /** Name prefix or filter; the first matching group applies. */
  parameters: string | ((name: string) => boolean);
  learningRateScale?: number;
  weightDecay?: number;
  /** Excluded from the gradient norm, too. */
  frozen?: boolean;
}

/** A parameter that is not frozen. */
export interface Learning {
  readonly name: string;
  readonly shape: Shape;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly learningRateScale: number;
  /** 0 for vectors. */
  readonly weightDecay: number;
}

/** Resolves groups to parameters. Throws 'bad_input' for a group that matches none or is out of range. */
export function learningParameters(
  store: ParameterStore,
  groups: readonly ParameterGroup[],
  weightDecay: number,
): readonly Learning[] {
  const takes = ({ parameters }: ParameterGroup, name: string) =>
    typeof parameters === 'string' ? name.startsWith(parameters) : parameters(name);
  for (const [place, group] of groups.entries()) {
    const { learningRateScale = 1, weightDecay: decay = 0 } = group;
    const field = `groups[${place}]`;
    insist(`${field}.learningRateScale`, learningRateScale, learningRateScale >= 0 && learningRateScale < Infinity);
    insist(`${field}.weightDecay`, decay, decay >= 0 && decay < Infinity);
    if (!store.specs.some(({ name }) => takes(group, name))) {
      throw new GyreError('bad_input', `group ${place} matches no parameter`, {
        field: `${field}.parameters`,
        fix: `use the prefix of a parameter name${store.specs[0] ? `, such as ${store.specs[0].name}` : ''}`,
      });
    }
  }
  return store.specs.flatMap(({ name, shape }) => {
    const group = groups.find((candidate) => takes(candidate, name));
    if (group?.frozen) return [];
    const start = store.offset(name);
    return {
      name,
      shape,
      start,
      end: start + sizeOf(shape),
      learningRateScale: group?.learningRateScale ?? 1,
      weightDecay: shape.length >= 2 ? (group?.weightDecay ?? weightDecay) : 0,
    };
  });
}

export function insist(field: string, value: number, holds: boolean, fix = 'use a number of 0 or more'): void {
  if (!holds) throw new GyreError('bad_input', `the optimiser's ${field} ${value} is invalid`, { field, fix });
}
