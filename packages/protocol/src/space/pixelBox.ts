import { z } from 'zod';

/** A rectangle in px, relative to its screen or sample. */
export const PixelBox = z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type PixelBox = Readonly<z.infer<typeof PixelBox>>;
