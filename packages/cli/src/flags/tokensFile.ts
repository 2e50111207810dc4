import { GyreError } from '@gyre/protocol';
import { type AccessToken, AccessTokens, tokenScopes } from '@gyre/sandbox';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { inputFile } from './flag.js';

const TokensFile = z.array(z.strictObject({ token: z.string(), scope: z.enum(tokenScopes) })).min(1);

export const tokensFlag = inputFile(
  'JSON file, [{"token": "...", "scope": "watch|operate|admin"}]; --token adds an admin (default on this machine: new ones, printed)',
  { default: undefined },
);

export function newTokens(): AccessToken[] {
  return tokenScopes.map((scope) => ({ token: AccessTokens.random(), scope }));
}

/** Throws `bad_input`. */
export async function readTokens(file: string): Promise<AccessToken[]> {
  const refuse = (message: string, cause?: unknown): never => {
    throw new GyreError('bad_input', message, {
      field: '--tokens',
      fix: 'name a JSON file such as [{"token": "16 characters or more", "scope": "operate"}]',
      cause,
    });
  };
  const text = await readFile(file, 'utf8').catch((cause: unknown) => refuse(`cannot read ${file}`, cause));
  const json = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      return refuse(`${file} is not JSON`, cause);
    }
  })();
  const parsed = TokensFile.safeParse(json);
  return parsed.success ? parsed.data : refuse(`${file} is invalid: ${parsed.error.issues[0]?.message}`);
}
