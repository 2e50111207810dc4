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

/** What happened in a soak, and what was left of it. */
export interface Soak {
  minutes: number;
  leases: number;
  actions: number;
  /** Processes of sessions that were killed; and the sessions that ended with one of them. */
  kills: number;
  /** Attacks from inside a session. Each may end that session alone, and counts as a kill does. */
  attacks: number;
  broken: number;
  expired: number;
  /** Sessions that ended although nothing of theirs was killed and their lease had not run out; and kills that ended several. */
  faults: string[];
  /** More than at the beginning, when all is closed. */
  left: { processes: number; mounts: number; descriptors: number; files: number };
  /** Of this process in MiB, without garbage: medians over the second fifth of the time, and over the last. */
  resident: { before: number; after: number };
}

/** Until then a session must be seen to have ended with what was killed of it, in ms. */
const noticed = 5_000;
/** Sessions at once, at most. */
const most = 6;
/** A session that is left alone ends after this. */
const ttlMs = 10_000;

interface Held {
  readonly session: SandboxSession;
  /** When it was used last, by `performance.now()`. */
  usedAt: number;
}

/**
 * Leases, acts, kills, leaves alone and gives back at random, for so many minutes. Every session that was not hurt must go on,
 * and nothing may be left in the end.
 *
 * @param options.attacked whether sessions are also attacked from inside, by shells and pages.
 */
export async function soak(
  minutes: number,
  seed: number,
  options: { attacked?: boolean; onProgress?: (share: number, message: string) => void; signal?: AbortSignal } = {},
): Promise<Soak> {
  const random = new Random(seed).fork('soak');
  // What others leave among the temporary files is theirs.
  const temporary = await mkdtemp(join(tmpdir(), 'soak-'));
  await chmod(temporary, 0o1777);
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  // With its first pipe a process opens /dev/null once, for good, which no session is to be blamed for (libuv, `uv__stream_init`).
  await promisify(execFile)(process.execPath, ['--version']);
  const sandbox = await Sandbox.start();
  const size = { width: 320, height: 240 };
  // What starts the programs of sessions comes with the first one, and stays: it is this process's, as long as that lives.
  await (await sandbox.lease({ kind: 'desktop', size })).release();
  const own = new Set(descendants());
  const before = traces(temporary);
  const held = new Set<Held>();
  const counts = { leases: 0, actions: 0, kills: 0, attacks: 0, broken: 0, expired: 0 };
  const faults: string[] = [];
  const started = performance.now();
  const share = () => (performance.now() - started) / (minutes * 60_000);
  const collectGarbage = garbageCollector();
  /** Looks at the memory, a hundred of them. */
  const resident: { share: number; mebibytes: number }[] = [];
  /** When those were made that have ended no session so far. */
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
    held.add({ session, usedAt: performance.now() });
  };
  const act = async (one: Held): Promise<void> => {
    const point = { x: random.next(), y: random.next() };
    await one.session.screen.act(random.next() < 0.5 ? { type: 'click', point } : { type: 'type', text: 'soak' });
    await one.session.screen.observe();
    await one.session.files.write('note.txt', 'x'.repeat(random.int(100_000)));
    await one.session.shell.run('cat note.txt | wc -c; (sleep 300 &)');
    one.usedAt = performance.now();
    counts.actions++;
  };
  /** Takes out those that have ended, and says how many that were. */
  const sweep = (): number => {
    let ended = 0;
    for (const one of held) {
      if (one.session.state === 'leased') continue;
      held.delete(one);
      if (performance.now() - one.usedAt >= ttlMs) counts.expired++;
      else ended++;
    }
    return ended;
  };

  try {
    while (share() < 1 && !options.signal?.aborted) {
      const some = [...held];
      const one = some[random.int(Math.max(1, some.length))];
      const choice = random.next();
      try {
        if (!one || (choice < 0.2 && held.size < most)) await lease();
        else if (options.attacked && choice < 0.4) {
          counts.attacks++;
          try {
            await attack(one.session, random);
          } finally {
            kills.push(performance.now());
            one.usedAt = performance.now();
          }
        } else if (choice < 0.75) await act(one);
        else if (choice < 0.76) await pause(ttlMs + 1_000);
        else if (choice < 0.88) {
          const pids = descendants().filter((pid) => !own.has(pid));
          process.kill(pids[random.int(pids.length)]!, 'SIGKILL');
          counts.kills++;
          kills.push(performance.now());
          await pause(500);
        } else {
          held.delete(one);
          await one.session.release();
        }
      } catch (error) {
        // A full disk, a page that does not load: an attack has hurt its own session, which may live.
        if (kills.length > 0 && counts.attacks > 0 && error instanceof GyreError && error.code !== 'bug') continue;
        // Whoever uses a session that was killed or has run out is told, maybe before the session is known to have ended.
        const until = performance.now() + noticed;
        while (one?.session.state === 'leased' && performance.now() < until) await pause(50);
        if (one === undefined || one.session.state === 'leased') faults.push(String(error));
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
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
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

/** What collects the garbage of this process at once. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** What sessions could leave behind. */
function traces(temporary: string): { processes: number; mounts: number; descriptors: number; files: number } {
  return {
    processes: descendants().length,
    // Those of other processes' sessions come and go meanwhile.
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split(` ${temporary}/`).length - 1,
    descriptors: readdirSync('/proc/self/fd').length,
    // The folder that holds those of the sessions stays.
    files: Math.max(0, readdirSync(temporary, { recursive: true }).length - 1),
  };
}
