import { GyreError, type Size } from '@gyre/protocol';
import {
  type CompatProtocol,
  Sandbox,
  type SandboxOptions,
  type SandboxSession,
  type AccessToken,
  AccessTokens,
  compatTerms,
  isolations,
  readVmImages,
  tokenScopes,
  serveCompat,
  serveSandbox,
} from '@gyre/sandbox';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { accessFlags, accessOf, type FlaggedAccess } from '../accessFlags.js';
import { command, group, type Outcome, UsageError } from '../command.js';
import {
  count,
  inputFile,
  inputFolder,
  name,
  oneOf,
  optionalBytes,
  optionalCount,
  optionalOneOf,
  optionalPositive,
  optionalSize,
  optionalWords,
} from '../flag.js';
import type { Terminal } from '../terminal.js';
import { gateway } from './serveGateway.js';
import { mcp } from './serveMcp.js';
import { model } from './serveModel.js';
import { openenv } from './serveOpenenv.js';

const TokensFile = z.array(z.strictObject({ token: z.string(), scope: z.enum(tokenScopes) })).min(1);

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
    'gyre serve sandbox --memory 48G --max-memory 4G --max-cpus 2 --reach example.org',
  ],
  flags: {
    ...accessFlags,
    tokens: inputFile(
      'a JSON file, [{"token": "...", "scope": "watch|operate|admin"}]; --token adds one for admin (default: on this machine, new ones, printed)',
      { default: undefined },
    ),
    sessions: count('most sessions at once', { default: 64 }),
    perToken: optionalCount('most sessions at once of each token (default: as many as of all)'),
    memory: optionalBytes(
      'memory of all sessions together, their files there included (default: nine tenths of this machine’s)',
      { example: '48G' },
    ),
    disk: optionalBytes(
      'disk of all sessions together, where their files lie there (default: nine tenths of what is free)',
      {
        example: '200G',
      },
    ),
    maxMemory: optionalBytes('most memory of one session (default: that of all)', { example: '4G' }),
    maxDisk: optionalBytes('most disk of one session (default: that of all)', { example: '8G' }),
    maxCpus: optionalPositive('most cores of one session (default: all)', { example: '2' }),
    maxProcesses: optionalCount('most processes of one session (default: 4096)', { example: '1024' }),
    maxTtl: optionalPositive('most seconds for which a lease may be unused (default: a day)', { example: '3600' }),
    reach: optionalWords(
      'hosts that sessions may reach, where a lease names them, and ports of this machine as 127.0.0.1:3000; none for none (default: any, and no port of this machine)',
      {
        example: 'example.org,*.wikipedia.org',
      },
    ),
    recordings: optionalBytes('disk of all videos together (default: 8G, or half of what is free)', { example: '8G' }),
    connections: count('most connections at once', { default: 1024 }),
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
      'one session for a client that was written for OSWorld or the AIO sandbox; POST /gyre/reset replaces it by a new one; a token is the password of its address, gyre:TOKEN@HOST',
    ),
    kind: optionalOneOf(
      ['browser', 'desktop'],
      'with --compat aio: the session (default: browser, to whose cdp_url clients attach; osworld has a desktop)',
    ),
    size: optionalSize('with --compat: screen in px (default: 1920x1080 for osworld, 1280x720 for aio)'),
    forward: optionalWords('with --compat: ports of the session that are shown on 127.0.0.1 under the same numbers', {
      example: '9222,8080',
    }),
    pythonPackages: inputFolder(
      'with --compat osworld: a folder with pyautogui and pyperclip, filled by pip install --target FOLDER (default: those that the system has)',
      { default: undefined },
    ),
    isolation: oneOf(isolations, 'walls of the sessions; none has to be said', { default: 'auto' }),
    image: name('the system inside, an image that podman has (default: that of this machine)', { default: undefined }),
  },
  async run(flags, { terminal, signal }) {
    const { tokens: file, sessions, perToken, warmBrowsers, warmDesktops, isolation, image, vmImages, compat } = flags;
    const devices = { phones: flags.phones ?? [], remotes: flags.remotes ?? [], hostPorts: flags.reach ?? [] };
    const walls = { isolation, ...(image !== undefined && { image }) };
    if (compat) {
      const access = accessOf(flags, 'operate', { terminal });
      const { size, forward = [], pythonPackages, kind } = flags;
      if (compat === 'osworld' && kind === 'browser') {
        throw new UsageError('clients of osworld need a desktop', {
          field: '--kind',
          fix: 'leave it out, or give --compat aio',
        });
      }
      const client = { size, ports: forward.map(portOf), pythonPackages, kind };
      return serveClient(
        compat,
        { access, machines: { ...walls, ...boundsOf(flags) }, ...client },
        { terminal, signal },
      );
    }
    const compatFlags = { '--size': flags.size, '--forward': flags.forward, '--python-packages': flags.pythonPackages };
    for (const [field, value] of Object.entries(compatFlags)) {
      if (value !== undefined) throw new UsageError(`${field} is for --compat`, { field, fix: 'add --compat osworld' });
    }
    const listed = file === undefined ? [] : await readTokens(file);
    // The sandbox requires a token anyway.
    const access = accessOf({ ...flags, requireToken: false }, 'admin', { terminal, listed });
    const fresh = access.tokens.length === 0 ? made() : [];
    const tokens = [...access.tokens, ...fresh];
    const warm = (
      [
        ['browser', warmBrowsers],
        ['desktop', warmDesktops],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({ kind, count }));
    const served = vmImages === undefined ? {} : { images: await readVmImages(vmImages) };
    const machines = await Sandbox.start({ ...walls, ...boundsOf(flags), warm });
    const bounds = {
      maxSessions: sessions,
      ...(perToken !== undefined && { maxPerToken: perToken }),
      ...(flags.recordings !== undefined && { recordingBytes: flags.recordings }),
      connectionLimits: { connections: flags.connections, perAddress: flags.connections },
    };
    const server = await serveSandbox({ sandbox: machines, ...access, tokens, ...bounds, ...devices, ...served });
    terminal.log(`${server.url} (ctrl-C ends it)`);
    for (const { token, scope } of fresh) terminal.log(`${scope}: ${token}`);
    terminal.log(`to watch a session in a browser: ${server.url}/v1/sessions/ID/view#token=TOKEN`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await machines.close();
    return { ok: true, result: { url: server.url } };
  },
});

export const serve = group('serve', 'gyre as a service', [sandbox, mcp, model, gateway, openenv]);

/** What one lease, and all together, may take. */
function boundsOf(flags: {
  readonly memory?: number | undefined;
  readonly disk?: number | undefined;
  readonly maxMemory?: number | undefined;
  readonly maxDisk?: number | undefined;
  readonly maxCpus?: number | undefined;
  readonly maxProcesses?: number | undefined;
  readonly maxTtl?: number | undefined;
  readonly reach?: readonly string[] | undefined;
}): Required<Pick<SandboxOptions, 'maxima' | 'totals'>> {
  const { memory, disk, maxMemory, maxDisk, maxCpus, maxProcesses, maxTtl, reach } = flags;
  return {
    totals: { ...(memory !== undefined && { memoryBytes: memory }), ...(disk !== undefined && { diskBytes: disk }) },
    maxima: {
      ...(maxMemory !== undefined && { memoryBytes: maxMemory }),
      ...(maxDisk !== undefined && { diskBytes: maxDisk }),
      ...(maxCpus !== undefined && { cpus: maxCpus }),
      ...(maxProcesses !== undefined && { processes: maxProcesses }),
      ...(maxTtl !== undefined && { ttlMs: maxTtl * 1_000 }),
      ...(reach !== undefined && { network: reach[0] === 'none' && reach.length === 1 ? 'none' : reach }),
    },
  };
}

interface ClientOptions {
  readonly access: FlaggedAccess;
  readonly machines: SandboxOptions;
  readonly size: Size | undefined;
  readonly ports: readonly number[];
  readonly pythonPackages: string | undefined;
  readonly kind: 'browser' | 'desktop' | undefined;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 2 ** 16) return port;
  throw new UsageError(`${JSON.stringify(text)} is no port`, {
    field: '--forward',
    fix: 'write 1 to 65535',
  });
}

/** Serves a session for one client of another sandbox until ctrl-C. */
async function serveClient(
  protocol: CompatProtocol,
  { access, machines, size, ports, pythonPackages, kind }: ClientOptions,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<Outcome> {
  const sandbox = await Sandbox.start(machines);
  try {
    const readable = pythonPackages === undefined ? [] : [resolve(pythonPackages)];
    const { user, ...terms } = compatTerms[protocol];
    const lease = async (): Promise<SandboxSession> => {
      const session = await sandbox.lease({
        ...(kind === 'desktop' || protocol === 'osworld' ? { kind: 'desktop' } : { kind: 'browser', clock: 'free' }),
        ...terms,
        // Without walls the user is that of this machine.
        ...(machines.isolation !== 'none' && { user }),
        ...(size && { size }),
        readable,
        ttlMs: machines.maxima?.ttlMs ?? 2 ** 31 - 1,
        // What the session before it took is given back by then.
        waitMs: 10_000,
      });
      try {
        for (const port of ports) await session.forward(port, { port });
      } catch (error) {
        await session.release();
        throw error;
      }
      const hint = 'POST /gyre/reset leases another';
      void session.broken.then(({ message }) => terminal.log(`the session has ended: ${message}; ${hint}`));
      return session;
    };
    const server = await serveCompat({
      session: await lease(),
      renew: lease,
      protocol,
      pythonPath: readable[0],
      ...access,
    });
    terminal.log(`${server.url} for a client of ${protocol} (ctrl-C ends it)`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return { ok: true, result: { url: server.url } };
  } finally {
    await sandbox.close();
  }
}

/** One for each scope. */
function made(): AccessToken[] {
  return tokenScopes.map((scope) => ({ token: AccessTokens.random(), scope }));
}

async function readTokens(file: string): Promise<AccessToken[]> {
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
