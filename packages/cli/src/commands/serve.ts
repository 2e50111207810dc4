import { GyreError } from '@gyre/protocol';
import {
  type CompatProtocol,
  Sandbox,
  type SandboxOptions,
  type Token,
  Tokens,
  isolations,
  readImages,
  scopes,
  serveCompat,
  serveSandbox,
} from '@gyre/sandbox';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { command, group, type Outcome } from '../command.js';
import {
  count,
  host,
  inputFile,
  inputFolder,
  name,
  oneOf,
  optionalCount,
  optionalOneOf,
  optionalWords,
} from '../flag.js';
import type { Terminal } from '../terminal.js';
import { gateway } from './serveGateway.js';
import { mcp } from './serveMcp.js';
import { model } from './serveModel.js';
import { openenv } from './serveOpenenv.js';

const TokensFile = z.array(z.strictObject({ token: z.string(), scope: z.enum(scopes) })).min(1);

const sandbox = command({
  name: 'sandbox',
  summary: 'sessions over HTTP: browsers and desktops with their shell and files',
  description:
    'Leases isolated machines to those who bear a token, and lets them be seen, acted on and watched. Ends with ctrl-C, and all its sessions with it. What it can be asked is at /openapi.json.',
  examples: [
    'gyre serve sandbox --port 8700',
    'gyre serve sandbox --compat osworld --port 5000',
    'gyre serve sandbox --phones R58M12ABCDE --remotes http://192.168.1.5:5000',
    'gyre serve sandbox --host 0.0.0.0 --port 8700 --tokens tokens.json --sessions 16',
  ],
  flags: {
    host: host('the address to listen at; 0.0.0.0 is reached from elsewhere', { default: '127.0.0.1' }),
    port: count('the port; 0 is any that is free', { default: 0, min: 0 }),
    tokens: inputFile('a JSON file, [{"token": "...", "scope": "watch|operate|admin"}] (default: new ones, printed)', {
      default: undefined,
    }),
    sessions: count('most sessions at once', { default: 64 }),
    perToken: optionalCount('most sessions at once of each token (default: as many as of all)'),
    warmBrowsers: count('browsers of 1280 x 720 px, without network, that are kept ready', { default: 0, min: 0 }),
    warmDesktops: count('desktops of that kind that are kept ready', { default: 0, min: 0 }),
    phones: optionalWords('phones that may be leased, by serial or address as adb names them (default: none)', {
      example: 'R58M12ABCDE,192.168.1.7:5555',
    }),
    remotes: optionalWords('machines elsewhere that may be leased, by the addresses of their servers (default: none)', {
      example: 'http://192.168.1.5:5000',
    }),
    vmImages: inputFolder(
      'a folder of disk images (qcow2, raw) for virtual machines, leased by the names of the files',
      {
        default: undefined,
      },
    ),
    compat: optionalOneOf(
      ['osworld', 'aio'],
      'one desktop for a client that was written for OSWorld or the AIO sandbox; such clients send no token',
    ),
    isolation: oneOf(isolations, 'walls of the sessions; none has to be said', { default: 'auto' }),
    image: name('the system inside, an image that podman has (default: that of this machine)', { default: undefined }),
  },
  async run(flags, { terminal, signal }) {
    const {
      host,
      port,
      tokens: file,
      sessions,
      perToken,
      warmBrowsers,
      warmDesktops,
      isolation,
      image,
      vmImages,
      compat,
    } = flags;
    const devices = { phones: flags.phones ?? [], remotes: flags.remotes ?? [] };
    const walls = { isolation, ...(image !== undefined && { image }) };
    if (compat) return serveClient(compat, { host, port, walls }, { terminal, signal });
    const tokens = file === undefined ? made() : await readTokens(file);
    const warm = (
      [
        ['browser', warmBrowsers],
        ['desktop', warmDesktops],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({ kind, count }));
    const served = vmImages === undefined ? {} : { images: await readImages(vmImages) };
    const machines = await Sandbox.start({ ...walls, warm });
    const bounds = { maxSessions: sessions, ...(perToken !== undefined && { maxPerToken: perToken }) };
    const server = await serveSandbox({ sandbox: machines, tokens, host, port, ...bounds, ...devices, ...served });
    terminal.log(`${server.url} (ctrl-C ends it)`);
    if (file === undefined) for (const { token, scope } of tokens) terminal.log(`${scope}: ${token}`);
    terminal.log(`to watch a session in a browser: ${server.url}/v1/sessions/ID/view#token=TOKEN`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await machines.close();
    return { ok: true, result: { url: server.url } };
  },
});

export const serve = group('serve', 'gyre as a service', [sandbox, mcp, model, gateway, openenv]);

/** A desktop for one client of another sandbox, until ctrl-C. */
async function serveClient(
  protocol: CompatProtocol,
  { host, port, walls }: { host: string; port: number; walls: Pick<SandboxOptions, 'isolation' | 'image'> },
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<Outcome> {
  const sandbox = await Sandbox.start(walls);
  try {
    const session = await sandbox.lease({ kind: 'desktop', ttlMs: 2 ** 31 - 1 });
    const server = await serveCompat({ session, protocol, host, port });
    terminal.log(`${server.url} for a client of ${protocol} (ctrl-C ends it)`);
    const ended = await Promise.race([session.broken, once(signal, 'abort').then(() => undefined)]);
    await server.close();
    if (ended) throw ended;
    return { ok: true, result: { url: server.url } };
  } finally {
    await sandbox.close();
  }
}

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
