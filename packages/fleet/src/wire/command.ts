import { Failure, LeaseRequest, ownerName, SessionInfo } from '@gyre/sandbox';
import { z } from 'zod';
import { Load } from './member.js';

const owner = z.string().regex(ownerName);
const ask = z.string().regex(/^[\w-]{8,64}$/);

/** An owner's place in its quota. */
const Claim = z.strictObject({ key: z.string().regex(/^[\w-]{1,64}\.\d{1,9}$/), revision: z.int().positive() });

/** Asks a node for a session. The node gives it back unless the front keeps it. */
export const LeaseCommand = z.strictObject({
  /** Names this attempt. The same ask twice has one answer. */
  ask,
  owner,
  request: LeaseRequest,
  /** Becomes the node's. */
  claim: Claim.optional(),
});
export type LeaseCommand = z.infer<typeof LeaseCommand>;

export const LeaseReply = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), session: SessionInfo, load: Load }),
  z.strictObject({
    ok: z.literal(false),
    error: Failure.shape.error,
    /** Whether the node has no place now. */
    full: z.boolean(),
    load: Load,
  }),
]);
export type LeaseReply = z.infer<typeof LeaseReply>;

/** `keep` and `cancel` of an ask. */
export const AskCommand = z.strictObject({ ask });

/** Makes the claim of a restored session the node's. The session ends if that fails. */
export const HoldCommand = z.strictObject({ session: z.string().max(200), claim: Claim });

export const ListCommand = z.strictObject({ owner: owner.optional() });
export const ListReply = z.strictObject({ sessions: z.array(SessionInfo) });
export type ListReply = z.infer<typeof ListReply>;

export const DrainCommand = z.strictObject({ on: z.boolean() });

/** Answers `keep`, `cancel`, `hold` and `drain`. */
export const Done = z.strictObject({ ok: z.boolean(), load: Load.optional() });
export type Done = z.infer<typeof Done>;

export const verbs = ['lease', 'keep', 'cancel', 'hold', 'list', 'drain'] as const;
export type Verb = (typeof verbs)[number];
