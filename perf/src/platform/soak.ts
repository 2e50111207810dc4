import { Random } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { type MachineKind, Sandbox, type SandboxSession } from '@gyre/sandbox';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { descendants } from 'gyre';
import { attack } from './attacks.js';
import { quantile } from './quantile.js';

export interface Soak {
  minutes: number;
  leases: number;
  actions: number;
  /** Killed processes. */
  kills: number;
  /** Counted like kills: each may end its own session. */
  attacks: number;
  broken: number;
  expired: number;
  /** Sessions that ended without a kill or expiry; kills that ended several. */
  faults: string[];
  /** Leaks. */
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  left: { processes: number; mounts: number; descriptors: number; files: number };
  /** MiB after garbage collection: medians of the second and last fifth. */
  resident: { before: number; after: number };
}

/** Time for a kill to end its session, in ms. */
const noticed = 5_000;
const maxSessions = 6;
const ttlMs = 10_000;

interface Held {
  readonly session: SandboxSession;
  /** By `performance.now()`. */
  usedAt: number;
}

/** Leases, acts, kills, idles and releases at random. Unharmed sessions must work, and nothing may leak. */
export async function soak(
  minutes: number,
  seed: number,
  options: { attacked?: boolean; onProgress?: (share: number, message: string) => void; signal?: AbortSignal } = {},
): Promise<Soak> {
  const random = new Random(seed).fork('soak');
  // Other programs leave temporary files.
  const temporary = await mkdtemp(join(tmpdir(), 'soak-'));
  await chmod(temporary, 0o1777);
  const tmpdirBefore = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  // A process's first pipe opens /dev/null for good (libuv, `uv__stream_init`).
  await promisify(execFile)(process.execPath, ['--version']);
  const sandbox = await Sandbox.start();
  const size = { width: 320, height: 240 };
  // The first session starts a long-lived process that forks the others.
  await (await sandbox.lease({ kind: 'desktop', size })).release();
  const ownProcesses = new Set(descendants());
  const before = traces(temporary);
  const sessions = new Set<Held>();
  const counts = { leases: 0, actions: 0, kills: 0, attacks: 0, broken: 0, expired: 0 };
  const faults: string[] = [];
  const started = performance.now();
  const share = () => (performance.now() - started) / (minutes * 60_000);
  const collectGarbage = garbageCollector();
  const resident: { share: number; mebibytes: number }[] = [];
  let kills: number[] = [];

  const between = (from: number, to: number): number =>
    quantile(
      resident.filter(({ share }) => share >= from && share < to).map(({ mebibytes }) => mebibytes),
      0.5,
    );
  const lease = async (): Promise<void> => {
    const kind: MachineKind = random.next() < 0.7 ? 'browser' : 'desktop';
    const session = await sandbox.lease({ kind, size, ttlMs });
    counts.leases++;
    sessions.add({ session, usedAt: performance.now() });
  };
  const act = async (entry: Held): Promise<void> => {
    const point = { x: random.next(), y: random.next() };
    await entry.session.screen.act(random.next() < 0.5 ? { type: 'click', point } : { type: 'type', text: 'soak' });
    await entry.session.screen.observe();
    await entry.session.files.write('note.txt', 'x'.repeat(random.int(100_000)));
    await entry.session.shell.run('cat note.txt | wc -c; (sleep 300 &)');
    entry.usedAt = performance.now();
    counts.actions++;
  };
  const sweep = (): number => {
    let ended = 0;
    for (const entry of sessions) {
      if (entry.session.state === 'leased') continue;
      sessions.delete(entry);
      if (performance.now() - entry.usedAt >= ttlMs) counts.expired++;
      else ended++;
    }
    return ended;
  };

  try {
    while (share() < 1 && !options.signal?.aborted) {
      const some = [...sessions];
      const entry = some[random.int(Math.max(1, some.length))];
      const choice = random.next();
      try {
        if (!entry || (choice < 0.2 && sessions.size < maxSessions)) await lease();
        else if (options.attacked && choice < 0.4) {
          counts.attacks++;
          try {
            await attack(entry.session, random);
          } finally {
            kills.push(performance.now());
            entry.usedAt = performance.now();
          }
        } else if (choice < 0.75) await act(entry);
        else if (choice < 0.76) await pause(ttlMs + 1_000);
        else if (choice < 0.88) {
          const pids = descendants().filter((pid) => !ownProcesses.has(pid));
          process.kill(pids[random.int(pids.length)]!, 'SIGKILL');
          counts.kills++;
          kills.push(performance.now());
          await pause(500);
        } else {
          sessions.delete(entry);
          await entry.session.release();
        }
      } catch (error) {
        // The attack harmed its own session, such as by a full disk.
        if (kills.length > 0 && counts.attacks > 0 && error instanceof GyreError && error.code !== 'bug') continue;
        // Calls to a dead session may fail before its end is known.
        const until = performance.now() + noticed;
        while (entry?.session.state === 'leased' && performance.now() < until) await pause(50);
        if (entry === undefined || entry.session.state === 'leased') faults.push(String(error));
      }
      const ended = sweep();
      counts.broken += ended;
      kills = kills.filter((at) => performance.now() - at < noticed);
      if (ended > kills.length) faults.push(`${ended} sessions ended after ${kills.length} kills`);
      kills.splice(0, ended);
      if (resident.length <= 100 * share()) {
        collectGarbage();
        resident.push({ share: share(), mebibytes: process.memoryUsage.rss() / 2 ** 20 });
      }
      options.onProgress?.(
        Math.min(1, share()),
        `${counts.leases} leases, ${counts.actions} actions, ${counts.kills} kills`,
      );
    }
  } finally {
    await sandbox.close();
  }
  await pause(1_000);
  const after = traces(temporary);
  if (tmpdirBefore === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = tmpdirBefore;
  await rm(temporary, { recursive: true, force: true });
  return {
    minutes: (performance.now() - started) / 60_000,
    ...counts,
    faults,
    left: {
      processes: after.processes - before.processes,
      mounts: after.mounts - before.mounts,
      descriptors: after.descriptors - before.descriptors,
      files: after.files - before.files,
    },
    resident: { before: between(0.2, 0.4), after: between(0.8, 1) },
  };
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function traces(temporary: string): { processes: number; mounts: number; descriptors: number; files: number } {
  return {
    processes: descendants().length,
    // Excludes other processes' sessions.
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split(` ${temporary}/`).length - 1,
    descriptors: readdirSync('/proc/self/fd').length,
    // Excludes the sessions' parent folder.
    files: Math.max(0, readdirSync(temporary, { recursive: true }).length - 1),
  };
}
