import { Split } from '@gyre/protocol';
import { z } from 'zod';

/** A part of an app's store as it is to be, by its JSON pointer (RFC 6901). */
export const Change = z.union([
  z.strictObject({ path: z.string().startsWith('/'), value: z.json() }),
  z.strictObject({ path: z.string().startsWith('/'), remove: z.literal(true) }),
]);
export type Change = z.infer<typeof Change>;

/** How it is told that a task is done. */
export const Condition = z.discriminatedUnion('kind', [
  /** The app's store has changed so, and in nothing else. Of apps only. */
  z.strictObject({ kind: z.literal('changes'), changes: z.array(Change).min(1).max(20) }),
  /** The agent has ended with this answer, but for case, spaces and quotes. */
  z.strictObject({ kind: z.literal('answer'), answer: z.string().trim().min(1).max(200) }),
  /** The page's address has a text in it, and the page shows all of some texts. Of pages only. */
  z.strictObject({
    kind: z.literal('shown'),
    address: z.string().min(1).optional(),
    texts: z.array(z.string().trim().min(1)).min(1).max(5),
  }),
]);
export type Condition = z.infer<typeof Condition>;

/** A task as a model has composed it. */
export const Candidate = z.object({
  instruction: z.string().trim().min(8).max(600),
  /** Names of the functions that it needs. */
  functions: z.array(z.string().min(1)).min(1),
  /** What a person would do, in few words each. */
  steps: z.array(z.string()).min(1).max(40),
  condition: Condition,
});
export type Candidate = z.infer<typeof Candidate>;

const Size = z.strictObject({ width: z.int().positive(), height: z.int().positive() });

/** Where a task is done: in an app of gyre's with the data of a seed, or on a page of somebody's. */
export const PlaceName = z.union([
  z.strictObject({ app: z.string(), split: Split, seed: z.int().nonnegative(), size: Size }),
  z.strictObject({ url: z.url(), size: Size }),
]);
export type PlaceName = z.infer<typeof PlaceName>;

/** Who tried the task in real sessions, and how often the condition came true. */
export const Proof = z.strictObject({
  policy: z.string(),
  tries: z.int().nonnegative(),
  successes: z.int().nonnegative(),
});
export type Proof = z.infer<typeof Proof>;

/** What an app holds at the start. */
export const Start = z.record(z.string(), z.json());
export type Start = z.infer<typeof Start>;

/** A line of a pool: a task with all that is known of how it came about. */
export const SynthesisedTask = z.strictObject({
  place: PlaceName,
  /** What the app holds at the start: the data of a seed may be others in later versions. Absent for pages. */
  start: Start.optional(),
  ...Candidate.shape,
  stepBudget: z.int().positive(),
  proof: Proof,
  provenance: z.strictObject({
    model: z.string(),
    /** The model's answers were played back from a file. */
    recorded: z.boolean(),
    promptsVersion: z.int(),
    /** SHA-256 of the screenshots that the model saw. */
    screenshots: z.array(z.string()),
    /** `2026-05-01`. */
    date: z.string(),
  }),
  licence: z.string(),
});
export type SynthesisedTask = z.infer<typeof SynthesisedTask>;
