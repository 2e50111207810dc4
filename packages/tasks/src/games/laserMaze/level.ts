import type { Plane, Side } from '../rules/sides.js';

/** A laser whose beam mirrors must lead through all crystals. */
export interface LaserLevel extends Plane {
  readonly difficulty: number;
  readonly laser: { readonly place: number; readonly side: Side };
  readonly walls: readonly number[];
  /** The beam goes through them. */
  readonly crystals: readonly number[];
  readonly mirrors: readonly Mirror[];
  /** How the mirrors stand at first, and how they stand when all crystals are hit. */
  readonly faces: readonly Face[];
  readonly solved: readonly Face[];
}

/** A mirror only turns; a splitter too, and half of the light goes straight on; a socket may be empty. */
export interface Mirror {
  readonly place: number;
  readonly kind: 'mirror' | 'splitter' | 'socket';
}

/** Nothing, as `/`, or as `\`. */
export type Face = 0 | 1 | 2;
