import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GyreError } from '@gyre/protocol';

/** `watch` only views; `operate` leases, and uses its own leases; `admin` may do everything. */
export const tokenScopes = ['watch', 'operate', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export interface AccessToken {
  readonly token: string;
  readonly scope: TokenScope;
}

/** The name is a digest, safe to store and show. */
export interface Bearer {
  readonly name: string;
  readonly scope: TokenScope;
  /** The only session that it may use. */
  readonly session?: string;
  /** Whether a fleet's front speaks for it. */
  readonly front?: true;
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Shorter tokens can be guessed. */
const shortest = 16;

/** Stores only digests. */
export class AccessTokens {
  readonly #known: readonly { readonly digest: Buffer; readonly scope: TokenScope }[];

  constructor(tokens: readonly AccessToken[]) {
    for (const { token } of tokens) {
      if (token.length >= shortest && /^[\x21-\x7e]+$/.test(token)) continue;
      throw new GyreError('bad_input', 'a token is too short or contains blanks', {
        field: 'tokens',
        fix: `use ${shortest} characters or more, without blanks`,
      });
    }
    if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
      throw new GyreError('bad_input', 'two tokens are the same', {
        field: 'tokens',
        fix: 'use a different token for each scope',
      });
    }
    this.#known = tokens.map(({ token, scope }) => ({ digest: digest(token), scope }));
  }

  static random(): string {
    return randomBytes(24).toString('base64url');
  }

  bearer(header: string | undefined): Bearer | undefined {
    const token = tokenIn(header ?? '');
    if (token === undefined) return undefined;
    const candidate = digest(token);
    // Constant time: compares all.
    let match: Bearer | undefined;
    for (const { digest: known, scope } of this.#known) {
      if (timingSafeEqual(candidate, known)) match = { name: known.toString('hex').slice(0, 12), scope };
    }
    return match;
  }
}

/** Reads `Bearer TOKEN`, or `Basic` with the token as password, from clients given `http://gyre:TOKEN@host:8000`. */
export function tokenIn(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}

const protocolPrefix = 'gyre.bearer.';

export const isTokenProtocol = (protocol: string): boolean => protocol.startsWith(protocolPrefix);

/**
 * Also reads `x-gyre-token`, if a server behind this one needs Authorization. Pages cannot set headers on a WebSocket:
 * they request the subprotocols `gyre`, which is accepted, and `gyre.bearer.` plus the base64url token.
 */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const apart = headers['x-gyre-token'];
  if (typeof apart === 'string') return `Bearer ${apart}`;
  const protocols = headers['sec-websocket-protocol']?.split(',').map((one) => one.trim());
  const bearing = protocols?.find(isTokenProtocol);
  if (headers.authorization !== undefined || bearing === undefined) return headers.authorization;
  return `Bearer ${Buffer.from(bearing.slice(protocolPrefix.length), 'base64url').toString('latin1')}`;
}

export function grants(scope: TokenScope, wanted: TokenScope): boolean {
  return tokenScopes.indexOf(scope) >= tokenScopes.indexOf(wanted);
}
