import { Part } from '@gyre/protocol';
import { z } from 'zod';
import { kinds } from '../lease/kind.js';

const kind = z.enum(kinds);
const numbered = {
  /** Counts the events of a sandbox, from 1. */
  seq: z.int().positive(),
  at: z.iso.datetime(),
};
const ofSession = { ...numbered, session: z.string(), kind, owner: z.string().optional() };

/** Cause of a session's end: it was released, the sandbox closed, the lease expired, or its page or machine was lost. */
export const EndReason = z.enum(['released', 'closed', 'expired', 'page', 'machine']);
export type EndReason = z.infer<typeof EndReason>;

/** An event of a sandbox. */
export const SandboxEvent = z.discriminatedUnion('type', [
  /** `warm`: the machine was ready; `ms`: time to start, without the wait for a place. */
  z.strictObject({ type: z.literal('session.created'), ...ofSession, warm: z.boolean(), ms: z.number() }),
  z.strictObject({ type: z.literal('session.expired'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** The page crashed, is gone, or does not answer. */
  z.strictObject({ type: z.literal('page.crashed'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** Without `session`: a warm machine. */
  z.strictObject({
    type: z.literal('machine.died'),
    ...ofSession,
    session: z.string().optional(),
    message: z.string(),
    /** The part that ended. */
    part: Part.optional(),
  }),
  /** A browser without isolation is confined less well than it could be; see `Weakness`. */
  z.strictObject({ type: z.literal('browser.weak'), ...ofSession, message: z.string() }),
  /** The last event of a session: nothing is left of it. */
  z.strictObject({ type: z.literal('session.ended'), ...ofSession, reason: EndReason, ms: z.number() }),
  z.strictObject({
    type: z.literal('quota.reached'),
    ...numbered,
    kind,
    owner: z.string().optional(),
    limit: z.string(),
  }),
  /** Another machine is warm; there are now `ready`. */
  z.strictObject({ type: z.literal('pool.refilled'), ...numbered, kind, ready: z.int() }),
  /** A warm machine did not start; the pool tries again. */
  z.strictObject({ type: z.literal('pool.failed'), ...numbered, kind, message: z.string() }),
  /** The reader was too slow: `count` events before the next one are missing. */
  z.strictObject({ type: z.literal('events.missed'), ...numbered, count: z.int().positive() }),
]);
export type SandboxEvent = z.infer<typeof SandboxEvent>;

type Unnumbered<Event> = Event extends SandboxEvent ? Omit<Event, keyof typeof numbered> : never;
/** An event before it has its number and time. */
export type NewEvent = Unnumbered<SandboxEvent>;
