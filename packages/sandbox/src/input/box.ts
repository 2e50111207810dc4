/** A part of the screen, in shares of its width and height. A window may reach beyond the screen, below 0 or above 1. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
