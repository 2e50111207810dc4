import { GyreError } from '@gyre/protocol';
import { ServerAccess, type ServerAccessOptions, type TokenScope, type AccessToken, AccessTokens } from '@gyre/sandbox';
import { UsageError } from '../command.js';
import { count, headed, host, optionalWords, toggle, token, type Values } from './flag.js';
import type { Terminal } from '../terminal/terminal.js';

export const accessFlags = headed('Access:', {
  host: host('address to listen on; any but a local one needs a token', { default: '127.0.0.1' }),
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

export interface FlaggedAccess extends ServerAccessOptions {
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly AccessToken[];
}

/**
 * Reads `accessFlags`, and prints a generated token. Throws a UsageError if other machines could connect without a
 * token: none is generated for them, since clients need it beforehand and printing leaks it into logs.
 */
export function accessOf(
  flags: Values<typeof accessFlags>,
  scope: TokenScope,
  { terminal, listed = [] }: { terminal: Terminal; listed?: readonly AccessToken[] },
): FlaggedAccess {
  const { host, port, requireToken, allowHost: allowHosts, allowOrigin: allowOrigins } = flags;
  const secret = flags.token ?? takeSecret('GYRE_TOKEN');
  const tokens = [...(secret === undefined ? [] : [{ token: secret, scope }]), ...listed];
  const access = { host, port, tokens, allowHosts, allowOrigins };
  rethrowAsUsage(() => new ServerAccess(access));
  if (tokens.length > 0 || !requireToken) return access;
  const newToken = { token: AccessTokens.random(), scope };
  terminal.log(`token: ${newToken.token}`);
  return { ...access, tokens: [newToken] };
}

/** Takes a secret out of the environment, so that child processes do not inherit it. */
export function takeSecret(name: string): string | undefined {
  const value = process.env[name] || undefined;
  delete process.env[name];
  return value;
}

export function rethrowAsUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GyreError) || error.code !== 'bad_input') throw error;
    const { field = '--host', fix = 'see --help' } = error.detail;
    throw new UsageError(error.message, { field, fix });
  }
}
