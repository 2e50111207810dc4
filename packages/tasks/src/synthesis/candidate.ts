import { Split } from '@gyre/protocol';
import { z } from 'zod';

/** By JSON pointer (RFC 6901). */
export const Change = z.union([
  z.strictObject({ path: z.string().startsWith('/'), value: z.json() }),
  z.strictObject({ path: z.string().startsWith('/'), remove: z.literal(true) }),
]);
export type Change = z.infer<typeof Change>;

export const Condition = z.discriminatedUnion('kind', [
  /** Exactly these changes to an app's store. */
  z.strictObject({ kind: z.literal('changes'), changes: z.array(Change).min(1).max(20) }),
  /** Ignores case, spaces and quotes. */
  z.strictObject({ kind: z.literal('answer'), answer: z.string().trim().min(1).max(200) }),
  /** For web pages. */
  z.strictObject({
    kind: z.literal('shown'),
    address: z.string().min(1).optional(),
    texts: z.array(z.string().trim().min(1)).min(1).max(5),
  }),
]);
export type Condition = z.infer<typeof Condition>;

export const Candidate = z.object({
  instruction: z.string().trim().min(8).max(600),
  functions: z.array(z.string().min(1)).min(1),
  steps: z.array(z.string()).min(1).max(40),
  condition: Condition,
});
export type Candidate = z.infer<typeof Candidate>;

const Size = z.strictObject({ width: z.int().positive(), height: z.int().positive() });

/** A built-in app with a seed's data, or a web page. */
export const PlaceName = z.union([
  z.strictObject({ app: z.string(), split: Split, seed: z.int().nonnegative(), size: Size }),
  z.strictObject({ url: z.url(), size: Size }),
]);
export type PlaceName = z.infer<typeof PlaceName>;

/** Trials in real sessions. */
export const Proof = z.strictObject({
  policy: z.string(),
  tries: z.int().nonnegative(),
  successes: z.int().nonnegative(),
});
export type Proof = z.infer<typeof Proof>;

export const Start = z.record(z.string(), z.json());
export type Start = z.infer<typeof Start>;

/** A pool entry with its provenance. */
export const SynthesisedTask = z.strictObject({
  place: PlaceName,
  /** A seed's data may differ in later versions. Absent for pages. */
  start: Start.optional(),
  ...Candidate.shape,
  stepBudget: z.int().positive(),
  proof: Proof,
  provenance: z.strictObject({
    model: z.string(),
    recorded: z.boolean(),
    promptsVersion: z.int(),
    /** SHA-256 of those shown to the model. */
    screenshots: z.array(z.string()),
    /** `2026-05-01`. */
    date: z.string(),
  }),
  licence: z.string(),
});
export type SynthesisedTask = z.infer<typeof SynthesisedTask>;
