import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GyreError } from '@gyre/protocol';

/** `watch` looks; `operate` leases, and uses what it has leased; `admin` may do everything with all sessions. */
export const tokenScopes = ['watch', 'operate', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export interface AccessToken {
  readonly token: string;
  readonly scope: TokenScope;
}

/** The owner of a token. Its name is a digest of the token, which may be stored and shown. */
export interface Bearer {
  readonly name: string;
  readonly scope: TokenScope;
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The shortest token that is taken: what can be guessed is no token. */
const shortest = 16;

/** The tokens that a server knows. It keeps digests alone. */
export class AccessTokens {
  readonly #known: readonly { readonly digest: Buffer; readonly scope: TokenScope }[];

  /** Throws `bad_input` for tokens that could be guessed or sent by nobody. */
  constructor(tokens: readonly AccessToken[]) {
    for (const { token } of tokens) {
      if (token.length >= shortest && /^[\x21-\x7e]+$/.test(token)) continue;
      throw new GyreError('bad_input', 'a token is too short, or cannot be sent', {
        field: 'tokens',
        fix: `use ${shortest} characters or more, without blanks`,
      });
    }
    if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
      throw new GyreError('bad_input', 'two tokens are the same', {
        field: 'tokens',
        fix: 'give each scope a token of its own',
      });
    }
    this.#known = tokens.map(({ token, scope }) => ({ digest: digest(token), scope }));
  }

  /** A token that nobody can guess. */
  static random(): string {
    return randomBytes(24).toString('base64url');
  }

  /** Returns the owner of the token in an Authorization header; undefined for an unknown one. */
  bearer(header: string | undefined): Bearer | undefined {
    const token = tokenIn(header ?? '');
    if (token === undefined) return undefined;
    const given = digest(token);
    // All are compared, in the same time whichever it is.
    let found: Bearer | undefined;
    for (const { digest: known, scope } of this.#known) {
      if (timingSafeEqual(given, known)) found = { name: known.toString('hex').slice(0, 12), scope };
    }
    return found;
  }
}

/**
 * The token of `Bearer TOKEN`, or of `Basic` with the token as the password: clients that know no tokens send what stands before the host
 * of an address, `http://gyre:TOKEN@host:8000`.
 */
function tokenIn(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}

/** Before the token, in base64url, in what a page asks of a WebSocket. */
const protocolPrefix = 'gyre.bearer.';

/** Does the name of a subprotocol hold a token? */
export const isBearing = (protocol: string): boolean => protocol.startsWith(protocolPrefix);

/**
 * The Authorization header of a request, or `x-gyre-token` in its place: a client may need the one for a server behind this one. A page cannot set one for a WebSocket: it asks for the subprotocols `gyre` and
 * `gyre.bearer.` with the token in base64url, of which the server takes the first.
 */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const apart = headers['x-gyre-token'];
  if (typeof apart === 'string') return `Bearer ${apart}`;
  const asked = headers['sec-websocket-protocol']?.split(',').map((one) => one.trim());
  const bearing = asked?.find(isBearing);
  if (headers.authorization !== undefined || bearing === undefined) return headers.authorization;
  return `Bearer ${Buffer.from(bearing.slice(protocolPrefix.length), 'base64url').toString('latin1')}`;
}

/** Does a scope include another? */
export function holds(scope: TokenScope, wanted: TokenScope): boolean {
  return tokenScopes.indexOf(scope) >= tokenScopes.indexOf(wanted);
}
