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

const endMs = 5_000;

type Restore = { readonly checkpoint: { readonly terms: { readonly kind: string } } } & Pick<
  LeaseRequest,
  'ttlMs' | 'waitMs' | 'labels'
>;

interface Lessee {
  readonly owner: string;
  readonly signal: AbortSignal;
}

/** Restores a checkpoint on a node, over HTTP: checkpoints are larger than NATS's messages. Throws the node's error. */
export async function restoreOn(node: KnownNode, body: Restore, { owner, signal }: Lessee): Promise<SessionInfo> {
  const { method, path } = routes.checkpoints.restore;
  const response = await ask(node, path, {
    method,
    headers: { ...headersFor(node, owner), 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, waitMs: 0 }),
    signal,
  });
  const json: unknown = await response.json().catch(() => undefined);
  const info = SessionInfo.safeParse(json);
  if (response.ok && info.success) return info.data;
  const failure = Failure.safeParse(json);
  // It, or a proxy before it, ended in the middle of a reply.
  if (!failure.success) throw unreachable(node.record.instance);
  const { error } = failure.data;
  if (response.status === 429) throw new QuotaReached(error.field ?? 'sessions', node.load.taken);
  throw errorOf(error);
}

/** Ends a session on its node. */
export async function endOn(node: KnownNode, session: string, owner: string): Promise<void> {
  const { method, path } = routes.sessions.release;
  const signal = AbortSignal.timeout(endMs);
  await ask(node, path.replace(':id', session), { method, headers: headersFor(node, owner), signal });
}

function headersFor({ record: { token } }: KnownNode, owner: string): Record<string, string> {
  return {
    ...traceHeaders(),
    authorization: `Bearer ${token}`,
    [delegatedHeaders.owner]: owner,
    [delegatedHeaders.scope]: 'operate' satisfies Parameters<ServerAccess['may']>[0],
  };
}

function ask({ record: { instance, offer } }: KnownNode, path: string, request: RequestInit): Promise<Response> {
  return fetch(new URL(path, offer.url), request).catch((cause: unknown) => {
    throw unreachable(instance, cause as Error);
  });
}
