import { z } from 'zod';

/** Stored in checkpoints; independent of screen size. */
export const SceneArchitecture = z.strictObject({
  width: z.int().positive(),
  heads: z.int().positive(),
  /** Over the tokens of instruction, screen and past. */
  layers: z.int().positive(),
  decoderLayers: z.int().positive(),
  /** Mixing of neighbours in the cells of 16 px: as far as a decision can follow what has no token, such as a maze. */
  cellLayers: z.int().nonnegative(),
  /** Channels of the stem at a stride of 8 px. */
  stem: z.int().positive().multipleOf(2),
  role: z.enum(['policy', 'critic']),
});
export type SceneArchitecture = z.infer<typeof SceneArchitecture>;

const nano: SceneArchitecture = {
  width: 128,
  heads: 4,
  layers: 4,
  decoderLayers: 2,
  cellLayers: 3,
  stem: 64,
  role: 'policy',
};
const micro: SceneArchitecture = {
  width: 320,
  heads: 5,
  layers: 5,
  decoderLayers: 3,
  cellLayers: 4,
  stem: 96,
  role: 'policy',
};

export const sceneArchitectures = { nano, micro } as const;
