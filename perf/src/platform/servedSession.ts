import { GyreError } from '@gyre/protocol';
import {
  type Sandbox,
  type MachineLease,
  type SandboxServer,
  type SandboxSession,
  AccessTokens,
  serveSandbox,
} from '@gyre/sandbox';

export interface ServedSession {
  readonly server: SandboxServer;
  /** Has every scope. */
  readonly token: string;
  readonly session: SandboxSession;
}

/** Starts both; closing ends both. */
export async function serveSession(
  sandbox: Sandbox,
  terms: MachineLease = { kind: 'browser', size: { width: 640, height: 480 } },
): Promise<ServedSession> {
  const token = AccessTokens.random();
  const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'admin' }] });
  const answer = await fetch(`${server.url}/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(terms),
  });
  const { id } = (await answer.json()) as { id?: string };
  const session = sandbox.sessions.find((one) => one.id === id) as SandboxSession | undefined;
  if (session) return { server, token, session };
  await server.close();
  throw new GyreError('infra', `the server leased no session: HTTP ${answer.status}`, {
    part: 'remote',
    fix: 'run gyre doctor',
  });
}
