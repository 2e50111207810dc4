import type { Plane, Side } from '../rules/sides.js';

/** Turn mirrors to lead a laser through all crystals. */
export interface LaserLevel extends Plane {
  readonly difficulty: number;
  readonly laser: { readonly place: number; readonly side: Side };
  readonly walls: readonly number[];
  readonly crystals: readonly number[];
  readonly mirrors: readonly Mirror[];
  /** Initial and solved. */
  readonly faces: readonly Face[];
  readonly solved: readonly Face[];
}

/** A splitter lets half of the light through; a socket may be empty. */
export interface Mirror {
  readonly place: number;
  readonly kind: 'mirror' | 'splitter' | 'socket';
}

/** Empty, `/` or `\`. */
export type Face = 0 | 1 | 2;
