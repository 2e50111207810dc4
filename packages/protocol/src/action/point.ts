import { z } from 'zod';

/** A point of the screen: x to the right, y down, in 0..1. The only space outside `space.ts`. */
export const Point = z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) });
export type Point = z.infer<typeof Point>;

/** In px. */
export const Size = z.strictObject({ width: z.int().positive(), height: z.int().positive() });
export type Size = z.infer<typeof Size>;
