import { kinds, Labels } from '@gyre/sandbox';
import { z } from 'zod';
import { read } from './read.js';

const names = z.array(z.string().max(2_048)).max(1_000);

export const Load = z.strictObject({
  /** Places of sessions. */
  taken: z.int().nonnegative(),
  /** Places of leases that are being answered. */
  starting: z.int().nonnegative(),
  /** Machines that are ready, by kind. */
  warm: z.partialRecord(z.enum(kinds), z.int().nonnegative()),
  draining: z.boolean(),
});
export type Load = z.infer<typeof Load>;

export const Offer = z.strictObject({
  /** Reached by clients and fronts. */
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  kinds: z.array(z.enum(kinds)).min(1),
  labels: Labels,
  capacity: z.int().positive(),
  /** Names that a lease may use. */
  phones: names,
  remotes: names,
  images: names,
  roots: names,
});
export type Offer = z.infer<typeof Offer>;

const NodeRecord = z.strictObject({
  instance: z.string(),
  /** Rises with each record of the instance. */
  seq: z.int().nonnegative(),
  /** Lets fronts act for clients; see `Delegation`. */
  token: z.string().min(16).max(256),
  offer: Offer,
  load: Load,
});
export type NodeRecord = z.infer<typeof NodeRecord>;

/** Returns the record under a key `node.INSTANCE`, or undefined if it is malformed or another node's. */
export function readNode(instance: string, bytes: Uint8Array): NodeRecord | undefined {
  const record = read(NodeRecord, bytes);
  return record?.instance === instance ? record : undefined;
}

const Holder = z.strictObject({ holder: z.string().regex(/^(?:node|front)\.[\w-]{1,64}$/) });

/** Returns the member that holds a claim, as its key in the bucket of members. */
export const readHolder = (bytes: Uint8Array): string | undefined => read(Holder, bytes)?.holder;
export const writeHolder = (holder: string): string => JSON.stringify({ holder } satisfies z.infer<typeof Holder>);
