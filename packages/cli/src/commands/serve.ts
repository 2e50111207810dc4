import { GyreError } from '@gyre/protocol';
import { Sandbox, type Token, Tokens, scopes, serveSandbox } from '@gyre/sandbox';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { command, group } from '../command.js';
import { count, oneOf, path } from '../flag.js';

const TokensFile = z.array(z.strictObject({ token: z.string(), scope: z.enum(scopes) })).min(1);

const sandbox = command({
  name: 'sandbox',
  summary: 'sessions over HTTP: browsers and desktops with their shell and files',
  description:
    'Leases isolated machines to those who bear a token, and lets them be seen, acted on and watched. Ends with ctrl-C, and all its sessions with it. What it can be asked is at /openapi.json.',
  examples: [
    'gyre serve sandbox --port 8700',
    'gyre serve sandbox --host 0.0.0.0 --port 8700 --tokens tokens.json --sessions 16',
  ],
  flags: {
    host: path('the address to listen at; 0.0.0.0 is reached from elsewhere', { default: '127.0.0.1' }),
    port: count('the port; 0 is any that is free', { default: 0, min: 0 }),
    tokens: path('a JSON file, [{"token": "...", "scope": "watch|operate|admin"}] (default: new ones, printed)', {
      default: undefined,
    }),
    sessions: count('most sessions at once', { default: 64 }),
    isolation: oneOf(['auto', 'bubblewrap', 'none'], 'walls of the sessions; none has to be said', { default: 'auto' }),
  },
  async run({ host, port, tokens: file, sessions, isolation }, { terminal, signal }) {
    const tokens = file === undefined ? made() : await readTokens(file);
    const machines = await Sandbox.start({ isolation });
    const server = await serveSandbox({ sandbox: machines, tokens, host, port, maxSessions: sessions });
    terminal.log(`${server.url} (ctrl-C ends it)`);
    if (file === undefined) for (const { token, scope } of tokens) terminal.log(`${scope}: ${token}`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await machines.close();
    return { ok: true, result: { url: server.url } };
  },
});

export const serve = group('serve', 'gyre as a service', [sandbox]);

/** One for each scope. */
function made(): Token[] {
  return scopes.map((scope) => ({ token: Tokens.random(), scope }));
}

async function readTokens(file: string): Promise<Token[]> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new GyreError('bad_input', `${file} ${problem}`, {
      field: '--tokens',
      fix: 'name a JSON file such as [{"token": "16 characters or more", "scope": "operate"}]',
      cause,
    });
  };
  const text = await readFile(file, 'utf8').catch((cause: unknown) => refuse('cannot be read', cause));
  const json = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      return refuse('is no JSON', cause);
    }
  })();
  const parsed = TokensFile.safeParse(json);
  return parsed.success ? parsed.data : refuse(`does not fit: ${parsed.error.issues[0]?.message}`);
}
