/** In fractions of the screen; windows may extend outside 0..1. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
