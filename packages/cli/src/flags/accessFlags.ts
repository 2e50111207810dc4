import { GyreError } from '@gyre/protocol';
import { ServerAccess, type ServerAccessOptions, type TokenScope, type AccessToken, AccessTokens } from '@gyre/sandbox';
import { UsageError } from '../command.js';
import { count, headed, host, optionalWords, toggle, token, type Values } from './flag.js';
import type { Terminal } from '../terminal/terminal.js';

/** Where a server listens and who may use it: the flags of every `gyre serve` over HTTP. */
export const accessFlags = headed('Access:', {
  host: host('address to listen at; any other than this machine needs a token', { default: '127.0.0.1' }),
  port: count('port; 0 picks a free one', { default: 0, min: 0 }),
  token: token('token that requests must carry (default: GYRE_TOKEN, which ps does not show)'),
  requireToken: toggle('require a token on this machine too; without one, a new one is printed'),
  allowHost: optionalWords('extra host names that clients may use (default: none)', {
    example: 'gyre.example,gateway:8443',
  }),
  allowOrigin: optionalWords('origins of web pages that may use the server (default: its own)', {
    example: 'https://studio.example',
  }),
});

/** What the flags say. */
export interface FlaggedAccess extends ServerAccessOptions {
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly AccessToken[];
}

/**
 * Reads the flags of `accessFlags`, and prints a token that was made. Throws a UsageError for a server that other machines would reach without
 * a token: those who start one elsewhere hand its clients a token beforehand, and a printed one would end in the logs of its host.
 *
 * @param scope of the token.
 * @param listed other tokens that the server knows.
 */
export function accessOf(
  flags: Values<typeof accessFlags>,
  scope: TokenScope,
  { terminal, listed = [] }: { terminal: Terminal; listed?: readonly AccessToken[] },
): FlaggedAccess {
  const { host, port, requireToken, allowHost: allowHosts, allowOrigin: allowOrigins } = flags;
  const given = flags.token ?? secretOf('GYRE_TOKEN');
  const tokens = [...(given === undefined ? [] : [{ token: given, scope }]), ...listed];
  const access = { host, port, tokens, allowHosts, allowOrigins };
  asUsage(() => new ServerAccess(access));
  if (tokens.length > 0 || !requireToken) return access;
  const made = { token: AccessTokens.random(), scope };
  terminal.log(`token: ${made.token}`);
  return { ...access, tokens: [made] };
}

/** Returns a secret of the environment and takes it out: the browsers and programs that are started do not inherit it. */
export function secretOf(name: string): string | undefined {
  const value = process.env[name] || undefined;
  delete process.env[name];
  return value;
}

/** Throws what is wrong with flags as a UsageError. */
export function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GyreError) || error.code !== 'bad_input') throw error;
    const { field = '--host', fix = 'see --help' } = error.detail;
    throw new UsageError(error.message, { field, fix });
  }
}
