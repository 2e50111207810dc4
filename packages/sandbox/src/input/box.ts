/** A rectangle in shares of the screen. A window may reach beyond it, below 0 or above 1. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
