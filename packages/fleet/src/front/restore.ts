import { traceHeaders } from '@gyre/protocol';
import {
  delegatedHeaders,
  Failure,
  type LeaseRequest,
  QuotaReached,
  routes,
  type ServerAccess,
  SessionInfo,
} from '@gyre/sandbox';
import { errorOf, unreachable } from './front.js';
import type { KnownNode } from './members.js';

type Restore = { readonly checkpoint: { readonly terms: { readonly kind: string } } } & Pick<
  LeaseRequest,
  'ttlMs' | 'waitMs' | 'labels'
>;

/** Restores a checkpoint on a node, over HTTP: checkpoints are larger than NATS's messages. Throws the node's error. */
export async function restoreOn(
  { record: { instance, offer, token }, load }: KnownNode,
  body: Restore,
  { owner, signal }: { owner: string; signal: AbortSignal },
): Promise<SessionInfo> {
  const response = await fetch(new URL(routes.checkpoints.restore.path, offer.url), {
    method: 'POST',
    headers: {
      ...traceHeaders(),
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      [delegatedHeaders.owner]: owner,
      [delegatedHeaders.scope]: 'operate' satisfies Parameters<ServerAccess['may']>[0],
    },
    body: JSON.stringify({ ...body, waitMs: 0 }),
    signal,
  }).catch((cause: unknown) => {
    throw unreachable(instance, cause as Error);
  });
  const json: unknown = await response.json().catch(() => undefined);
  if (response.ok) return SessionInfo.parse(json);
  const { error } = Failure.parse(json);
  if (response.status === 429) throw new QuotaReached(error.field ?? 'sessions', load.taken);
  throw errorOf(error);
}
