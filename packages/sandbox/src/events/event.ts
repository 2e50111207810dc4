import { Part } from '@gyre/protocol';
import { z } from 'zod';
import { kinds } from '../lease/kind.js';

const kind = z.enum(kinds);
const numbered = {
  /** Counts from 1 per sandbox. */
  seq: z.int().positive(),
  at: z.iso.datetime(),
};
const ofSession = { ...numbered, session: z.string(), kind, owner: z.string().optional() };

/** `page` and `machine`: lost. */
export const EndReason = z.enum(['released', 'closed', 'expired', 'page', 'machine']);
export type EndReason = z.infer<typeof EndReason>;

export const SandboxEvent = z.discriminatedUnion('type', [
  /** `ms` is the start time without queueing. */
  z.strictObject({ type: z.literal('session.created'), ...ofSession, warm: z.boolean(), ms: z.number() }),
  z.strictObject({ type: z.literal('session.expired'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** The page crashed, is gone, or does not answer. */
  z.strictObject({ type: z.literal('page.crashed'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** A warm machine has no `session`. */
  z.strictObject({
    type: z.literal('machine.died'),
    ...ofSession,
    session: z.string().optional(),
    message: z.string(),
    part: Part.optional(),
  }),
  /** See `Weakness`. */
  z.strictObject({ type: z.literal('browser.weak'), ...ofSession, message: z.string() }),
  z.strictObject({ type: z.literal('session.ended'), ...ofSession, reason: EndReason, ms: z.number() }),
  z.strictObject({
    type: z.literal('quota.reached'),
    ...numbered,
    kind,
    owner: z.string().optional(),
    limit: z.string(),
  }),
  z.strictObject({ type: z.literal('pool.refilled'), ...numbered, kind, ready: z.int() }),
  z.strictObject({ type: z.literal('pool.failed'), ...numbered, kind, message: z.string() }),
  /** `count` events before the next are missing. */
  z.strictObject({ type: z.literal('events.missed'), ...numbered, count: z.int().positive() }),
]);
export type SandboxEvent = z.infer<typeof SandboxEvent>;

type Unnumbered<Event> = Event extends SandboxEvent ? Omit<Event, keyof typeof numbered> : never;
export type NewEvent = Unnumbered<SandboxEvent>;
