import type { Size } from '@gyre/protocol';
import {
  type CompatProtocol,
  Sandbox,
  type SandboxOptions,
  type SandboxServer,
  type SandboxSession,
  compatTerms,
  isolations,
  readRoots,
  readVmImages,
  serveCompat,
  serveSandbox,
} from '@gyre/sandbox';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accessFlags, accessOf, type FlaggedAccess } from '../flags/accessFlags.js';
import { command, type Outcome, UsageError } from '../command.js';
import {
  count,
  inputFolder,
  name,
  oneOf,
  optionalBytes,
  optionalCount,
  optionalOneOf,
  optionalPositive,
  optionalWords,
} from '../flags/flag.js';
import { labelsOf, nodeFlags } from '../flags/fleetFlags.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { newTokens, readTokens, tokensFlag } from '../flags/tokensFile.js';
import type { Terminal } from '../terminal/terminal.js';
import { joinFleet, membership } from './joinFleet.js';

export const sandbox = command({
  description:
    'Leases isolated machines to clients with a token, over HTTP with live views. Ctrl-C stops it and ends all sessions. /openapi.json describes the API.',
  examples: [
    'gyre serve sandbox --port 8700',
    'gyre serve sandbox --compat osworld --port 5000',
    'gyre serve sandbox --phones R58M12ABCDE --remotes http://192.168.1.5:5000',
    'gyre serve sandbox --host 0.0.0.0 --port 8700 --tokens tokens.json --sessions 16',
    'gyre serve sandbox --join nats://10.0.0.5:4222 --host 10.0.0.7 --port 8700 --token $GYRE_TOKEN --label zone=a',
    'gyre serve sandbox --memory 48G --max-memory 4G --max-cpus 2 --reach example.org',
  ],
  flags: {
    ...accessFlags,
    ...nodeFlags,
    tokens: tokensFlag,
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
    drain: count('seconds to wait for sessions to end after ctrl-C or SIGTERM, without new leases', {
      default: 0,
      min: 0,
    }),
    image: name('podman image inside the isolation (default: this machine’s system)', { default: undefined }),
  },
  async run(flags, { terminal, signal, extend }) {
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
    const member = flags.join && membership(flags.nodeName);
    const labels = labelsOf(flags.label);
    const name = member?.instance;
    const machines = await Sandbox.start({ ...isolationOptions, ...boundsOf(flags), warm, ...(name && { name }) });
    const bounds = {
      maxSessions: sessions,
      ...(perToken !== undefined && { maxPerToken: perToken }),
      ...(flags.recordings !== undefined && { recordingBytes: flags.recordings }),
      connectionLimits: { connections: flags.connections, perAddress: flags.connections },
    };
    // Fronts ask for the address that the node advertises.
    const allowHosts = [...(access.allowHosts ?? []), ...(flags.advertise ? [new URL(flags.advertise).host] : [])];
    const delegation = member?.delegation;
    const options = { ...access, allowHosts, tokens, ...bounds, ...devices, ...served, labels, delegation };
    const server = await serveSandbox({ sandbox: machines, ...options });
    terminal.log(`listening at ${server.url} (ctrl-C stops it)`);
    const joined =
      member &&
      (await joinFleet(member, {
        nats: { servers: flags.join ?? [], credentials: flags.natsCreds },
        fleet: flags.fleet,
        url: flags.advertise ?? server.url,
        sandbox: machines,
        server,
        options: { sandbox: machines, ...options },
      }));
    if (member) terminal.log(`node ${member.instance} of the fleet ${flags.fleet}`);
    for (const { token, scope } of fresh) terminal.log(`${scope}: ${token}`);
    terminal.log(`live view of a session: ${server.url}/v1/sessions/ID/view#token=TOKEN`);
    extend(flags.drain * 1_000);
    if (!signal.aborted) await once(signal, 'abort');
    if (flags.drain > 0) await drained(server, flags.drain * 1_000);
    await joined?.leave();
    await server.close();
    await machines.close();
    return { ok: true, result: { url: server.url } };
  },
});

/** Takes no more leases, and waits for the end of sessions. */
async function drained({ leases }: SandboxServer, ms: number): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const check = () => {
      if (leases.taken === 0) resolve();
    };
    leases.onChange(check);
    leases.open(false);
    check();
  });
  await Promise.race([ended, pause(ms)]);
}

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
