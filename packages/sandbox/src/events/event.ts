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

/** Why a session ended: it was given back, the sandbox was closed, it was not used, or its page or its machine was lost. */
export const EndReason = z.enum(['released', 'closed', 'expired', 'page', 'machine']);
export type EndReason = z.infer<typeof EndReason>;

/** What happens in a sandbox. */
export const SandboxEvent = z.discriminatedUnion('type', [
  /** `warm`: it was ready; `ms`: from being asked for, without waiting for a place. */
  z.strictObject({ type: z.literal('session.created'), ...ofSession, warm: z.boolean(), ms: z.number() }),
  z.strictObject({ type: z.literal('session.expired'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** Its page crashed, is gone, or no longer answers. */
  z.strictObject({ type: z.literal('page.crashed'), ...ofSession, message: z.string(), part: Part.optional() }),
  /** Without `session`: one that was kept warm. */
  z.strictObject({
    type: z.literal('machine.died'),
    ...ofSession,
    session: z.string().optional(),
    message: z.string(),
    /** What ended: the browser, the display, the window manager, the bus, the machine itself. */
    part: Part.optional(),
  }),
  /** It is not within walls, and its browser is confined less well than it could be: see `Weakness`. */
  z.strictObject({ type: z.literal('browser.weak'), ...ofSession, message: z.string() }),
  /** The last of a session: nothing is left of it. */
  z.strictObject({ type: z.literal('session.ended'), ...ofSession, reason: EndReason, ms: z.number() }),
  z.strictObject({
    type: z.literal('quota.reached'),
    ...numbered,
    kind,
    owner: z.string().optional(),
    limit: z.string(),
  }),
  /** One more machine is warm, and now there are `ready`. */
  z.strictObject({ type: z.literal('pool.refilled'), ...numbered, kind, ready: z.int() }),
  /** A machine that was to be warm did not start; it is tried again. */
  z.strictObject({ type: z.literal('pool.failed'), ...numbered, kind, message: z.string() }),
  /** Whoever reads was too slow, and this many before the next one were left out. */
  z.strictObject({ type: z.literal('events.missed'), ...numbered, count: z.int().positive() }),
]);
export type SandboxEvent = z.infer<typeof SandboxEvent>;

type Unnumbered<Event> = Event extends SandboxEvent ? Omit<Event, keyof typeof numbered> : never;
/** An event before it has its number and time. */
export type NewEvent = Unnumbered<SandboxEvent>;
