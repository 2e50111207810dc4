import { z } from 'zod';

/** What every game reports of its state, by one schema. It is the `report` in the evidence of the verdict. */
export const GameReport = z.strictObject({
  game: z.string().min(1),
  /** Of the rules. */
  version: z.int().positive(),
  /** How hard the level is: 1..5. */
  level: z.int().min(1).max(5),
  /** As the game counts: the scalar reward. */
  score: z.number(),
  /** How much of the goal is reached. */
  progress: z.number().min(0).max(1),
  won: z.boolean(),
  terminated: z.boolean(),
  lives: z.int().nonnegative(),
  /** Moves that changed the state. */
  moves: z.int().nonnegative(),
  /** Of the state, as 8 hexadecimal digits: equal states have equal ones. */
  checksum: z.string().regex(/^[0-9a-f]{8}$/),
});
export type GameReport = z.infer<typeof GameReport>;
