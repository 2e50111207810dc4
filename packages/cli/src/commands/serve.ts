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
  readRoots,
  readVmImages,
  tokenScopes,
  serveCompat,
  serveSandbox,
} from '@gyre/sandbox';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { accessFlags, accessOf, type FlaggedAccess } from '../flags/accessFlags.js';
import { command, type Outcome, UsageError } from '../command.js';
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
  optionalWords,
} from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import type { Terminal } from '../terminal/terminal.js';

const TokensFile = z.array(z.strictObject({ token: z.string(), scope: z.enum(tokenScopes) })).min(1);

export const sandbox = command({
  description:
    'Leases isolated machines to clients with a token, over HTTP with live views. Ctrl-C stops it and ends all sessions. /openapi.json describes the API.',
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
      'JSON file, [{"token": "...", "scope": "watch|operate|admin"}]; --token adds an admin (default on this machine: new ones, printed)',
      { default: undefined },
    ),
    sessions: count('maximum number of sessions', { default: 64 }),
    perToken: optionalCount('maximum number of sessions per token (default: --sessions)'),
    memory: optionalBytes('memory of all sessions, in-memory files included (default: 90 % of this machine)', {
      example: '48G',
    }),
    disk: optionalBytes('disk of all sessions (default: 90 % of what is free)', {
      example: '200G',
    }),
    maxMemory: optionalBytes('maximum memory per session (default: --memory)', { example: '4G' }),
    maxDisk: optionalBytes('maximum disk per session (default: --disk)', { example: '8G' }),
    maxCpus: optionalPositive('maximum cores per session (default: all)', { example: '2' }),
    maxProcesses: optionalCount('maximum processes per session (default: 4096)', { example: '1024' }),
    maxTtl: optionalPositive('maximum TTL of a lease, in seconds (default: a day)', { example: '3600' }),
    reach: optionalWords(
      'hosts that a lease may request, and local ports such as 127.0.0.1:3000, or none (default: any host, no local port)',
      {
        example: 'example.org,*.wikipedia.org',
      },
    ),
    recordings: optionalBytes('disk of all videos (default: 8G, or half of what is free)', { example: '8G' }),
    connections: count('maximum number of connections', { default: 1024 }),
    warmBrowsers: count('browsers to keep ready (1280x720, without network)', { default: 0, min: 0 }),
    warmDesktops: count('desktops to keep ready (1280x720, without network)', { default: 0, min: 0 }),
    phones: optionalWords('phones that may be leased, by adb serial or address (default: none)', {
      example: 'R58M12ABCDE,192.168.1.7:5555',
    }),
    remotes: optionalWords('remote machines that may be leased, by server URL (default: none)', {
      example: 'http://192.168.1.5:5000',
    }),
    vmImages: inputFolder('folder of disk images (qcow2, raw) for virtual machines, leased by file name', {
      default: undefined,
    }),
    roots: inputFolder(
      'folder of root file systems (folders, OCI bundles) that sessions of kind shell may start from, leased by name; "machine" is this machine’s',
      { default: undefined },
    ),
    compat: optionalOneOf(
      ['osworld', 'aio'],
      'serve one session to a client of OSWorld or the AIO sandbox; POST /gyre/reset replaces it; clients send a token as the password in the URL, gyre:TOKEN@HOST',
    ),
    kind: optionalOneOf(['browser', 'desktop'], 'with --compat aio: kind of session (default: browser)'),
    size: optionalSize('with --compat: screen in px (default: 1920x1080 for osworld, 1280x720 for aio)'),
    forward: optionalWords('with --compat: ports of the session to forward to the same ports of 127.0.0.1', {
      example: '9222,8080',
    }),
    pythonPackages: inputFolder(
      'with --compat osworld: folder with pyautogui and pyperclip, from pip install --target FOLDER (default: those of the system)',
      { default: undefined },
    ),
    isolation: oneOf(isolations, 'isolation (auto picks the strongest available; "none" must be explicit)', {
      default: 'auto',
    }),
    image: name('podman image inside the isolation (default: this machine’s system)', { default: undefined }),
  },
  async run(flags, { terminal, signal }) {
    const { tokens: file, sessions, perToken, warmBrowsers, warmDesktops, isolation, image, vmImages, compat } = flags;
    const devices = { phones: flags.phones ?? [], remotes: flags.remotes ?? [], hostPorts: flags.reach ?? [] };
    const isolationOptions = { isolation, ...(image !== undefined && { image }) };
    if (compat) {
      const access = accessOf(flags, 'operate', { terminal });
      const { size, forward = [], pythonPackages, kind } = flags;
      if (compat === 'osworld' && kind === 'browser') {
        throw new UsageError('OSWorld clients need a desktop', {
          field: '--kind',
          fix: 'omit it, or use --compat aio',
        });
      }
      const client = { size, ports: forward.map(portOf), pythonPackages, kind };
      return serveClient(
        compat,
        { access, machines: { ...isolationOptions, ...boundsOf(flags) }, ...client },
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
    const fresh = access.tokens.length === 0 ? newTokens() : [];
    const tokens = [...access.tokens, ...fresh];
    const warm = (
      [
        ['browser', warmBrowsers],
        ['desktop', warmDesktops],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => ({ kind, count }));
    const served = {
      ...(vmImages !== undefined && { images: await readVmImages(vmImages) }),
      ...(flags.roots !== undefined && { roots: await readRoots(flags.roots) }),
    };
    const machines = await Sandbox.start({ ...isolationOptions, ...boundsOf(flags), warm });
    const bounds = {
      maxSessions: sessions,
      ...(perToken !== undefined && { maxPerToken: perToken }),
      ...(flags.recordings !== undefined && { recordingBytes: flags.recordings }),
      connectionLimits: { connections: flags.connections, perAddress: flags.connections },
    };
    const server = await serveSandbox({ sandbox: machines, ...access, tokens, ...bounds, ...devices, ...served });
    terminal.log(`listening at ${server.url} (ctrl-C stops it)`);
    for (const { token, scope } of fresh) terminal.log(`${scope}: ${token}`);
    terminal.log(`live view of a session: ${server.url}/v1/sessions/ID/view#token=TOKEN`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await machines.close();
    return { ok: true, result: { url: server.url } };
  },
});

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
  throw new UsageError(`${JSON.stringify(text)} is not a port`, {
    field: '--forward',
    fix: 'use a port from 1 to 65535',
  });
}

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
        // Without isolation the user is this machine's.
        ...(machines.isolation !== 'none' && { user }),
        ...(size && { size }),
        readable,
        ttlMs: machines.maxima?.ttlMs ?? 2 ** 31 - 1,
        // The previous session needs time to end.
        waitMs: 10_000,
      });
      try {
        for (const port of ports) await session.forward(port, { port });
      } catch (error) {
        await session.release();
        throw error;
      }
      const hint = 'POST /gyre/reset leases another';
      void session.broken.then(({ message }) => terminal.log(`the session ended: ${message}; ${hint}`));
      return session;
    };
    const server = await serveCompat({
      session: await lease(),
      renew: lease,
      protocol,
      pythonPath: readable[0],
      ...access,
    });
    terminal.log(`listening at ${server.url} for a client of ${protocol} (ctrl-C stops it)`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return { ok: true, result: { url: server.url } };
  } finally {
    await sandbox.close();
  }
}

function newTokens(): AccessToken[] {
  return tokenScopes.map((scope) => ({ token: AccessTokens.random(), scope }));
}

async function readTokens(file: string): Promise<AccessToken[]> {
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
