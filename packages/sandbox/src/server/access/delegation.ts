import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Bearer, tokenIn, type TokenScope, tokenScopes } from '../tokens.js';

/** Headers in which a fleet's front names the bearer that it has checked, and the host that the client asked. */
export const delegatedHeaders = {
  owner: 'x-gyre-owner',
  scope: 'x-gyre-scope',
  host: 'x-gyre-host',
} as const;

/** Names of bearers, as in `Bearer`. */
export const ownerName = /^[\w-]{1,64}$/;

const sessionPrefix = 'session.';

/** Lets a fleet's front act for the bearers that it has checked, and clients use one session each. */
export class Delegation {
  readonly #front: Buffer;
  readonly #key = randomBytes(32);

  /** @param frontToken of the fleet's fronts. */
  constructor(frontToken: string) {
    this.#front = digest(frontToken);
  }

  /** Returns a token for one session of one owner. Its validity ends with the session or this process. */
  sessionToken(session: string, owner: string): string {
    const claim = Buffer.from(JSON.stringify([session, owner])).toString('base64url');
    return `${sessionPrefix}${claim}.${this.#mac(claim)}`;
  }

  bearer(authorization: string | undefined, headers: IncomingHttpHeaders): Bearer | undefined {
    const token = tokenIn(authorization ?? '');
    if (token === undefined) return undefined;
    if (token.startsWith(sessionPrefix)) return this.#sessionBearer(token.slice(sessionPrefix.length));
    return timingSafeEqual(digest(token), this.#front) ? frontBearer(headers) : undefined;
  }

  #sessionBearer(token: string): Bearer | undefined {
    const [claim = '', mac = ''] = token.split('.');
    const [received, expected] = [Buffer.from(mac), Buffer.from(this.#mac(claim))];
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
    // Only this process could have signed it.
    const [session, name] = JSON.parse(Buffer.from(claim, 'base64url').toString()) as [string, string];
    return { name, scope: 'operate', session };
  }

  #mac(claim: string): string {
    return createHmac('sha256', this.#key).update(claim).digest('base64url');
  }
}

function frontBearer(headers: IncomingHttpHeaders): Bearer | undefined {
  const { [delegatedHeaders.owner]: name, [delegatedHeaders.scope]: scope } = headers;
  if (typeof name !== 'string' || !ownerName.test(name)) return undefined;
  const isScope = (text: unknown): text is TokenScope => tokenScopes.some((known) => known === text);
  return isScope(scope) ? { name, scope, front: true } : undefined;
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
