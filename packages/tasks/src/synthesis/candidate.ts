import { Split } from '@gyre/protocol';
import { z } from 'zod';

/** A target value in an app's store, by JSON pointer (RFC 6901). */
export const Change = z.union([
  z.strictObject({ path: z.string().startsWith('/'), value: z.json() }),
  z.strictObject({ path: z.string().startsWith('/'), remove: z.literal(true) }),
]);
export type Change = z.infer<typeof Change>;

/** A task's success condition. */
export const Condition = z.discriminatedUnion('kind', [
  /** For apps: exactly these changes to the store. */
  z.strictObject({ kind: z.literal('changes'), changes: z.array(Change).min(1).max(20) }),
  /** The agent's final answer, ignoring case, spaces and quotes. */
  z.strictObject({ kind: z.literal('answer'), answer: z.string().trim().min(1).max(200) }),
  /** For pages: text in the page's address and on the page. */
  z.strictObject({
    kind: z.literal('shown'),
    address: z.string().min(1).optional(),
    texts: z.array(z.string().trim().min(1)).min(1).max(5),
  }),
]);
export type Condition = z.infer<typeof Condition>;

/** A task composed by a model. */
export const Candidate = z.object({
  instruction: z.string().trim().min(8).max(600),
  /** Names of the core functions it needs. */
  functions: z.array(z.string().min(1)).min(1),
  /** A person's steps, in a few words each. */
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

/** The policy that tried the task in real sessions, and its successes. */
export const Proof = z.strictObject({
  policy: z.string(),
  tries: z.int().nonnegative(),
  successes: z.int().nonnegative(),
});
export type Proof = z.infer<typeof Proof>;

/** An app's initial store. */
export const Start = z.record(z.string(), z.json());
export type Start = z.infer<typeof Start>;

/** A pool entry: a task with its provenance. */
export const SynthesisedTask = z.strictObject({
  place: PlaceName,
  /** The app's initial store, since a seed's data may differ in later versions. Absent for pages. */
  start: Start.optional(),
  ...Candidate.shape,
  stepBudget: z.int().positive(),
  proof: Proof,
  provenance: z.strictObject({
    model: z.string(),
    /** Answers came from a recording. */
    recorded: z.boolean(),
    promptsVersion: z.int(),
    /** SHA-256 of the screenshots shown to the model. */
    screenshots: z.array(z.string()),
    /** `2026-05-01`. */
    date: z.string(),
  }),
  licence: z.string(),
});
export type SynthesisedTask = z.infer<typeof SynthesisedTask>;
