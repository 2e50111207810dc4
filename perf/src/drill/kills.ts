import { type GivenUp, type Job, oraclePolicy, runEpisodes, TaskSessions } from '@gyre/agent';
import { Random } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { type AnyFamily, openTask } from '@gyre/tasks';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendants } from 'gyre';

/** Effect on oracle episodes, which otherwise all succeed. */
export interface KillDrill {
  /** By program name. */
  kills: Record<string, number>;
  episodes: number;
  infraErrors: number;
  scoredWrongly: string[];
  givenUp: GivenUp[];
}

const apartMs = 1_500;
/** Frequent kills hit a task repeatedly. */
const retries = 20;

/** Plays the oracle and SIGKILLs session processes at random. */
export async function killDrill(
  families: readonly AnyFamily[],
  { kills, sessions, seed }: { kills: number; sessions: number; seed: number },
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<KillDrill> {
  const random = new Random(seed).fork('kills');
  const pool = new TaskSessions({ browsers: 2, sessionsPerBrowser: Math.ceil(sessions / 2) });
  const result: KillDrill = { kills: {}, episodes: 0, infraErrors: 0, scoredWrongly: [], givenUp: [] };
  const ownProcesses = new Set(descendants());
  let killed = 0;
  const failed = new AbortController();
  const over = () => killed >= kills || signal.aborted || failed.signal.aborted;

  function* jobs(): Generator<Job> {
    for (let index = 0; !over(); index++) {
      const family = families[index % families.length]!;
      const instance = family.create('test', Math.floor(index / families.length));
      yield {
        task: instance.task,
        open: (machines) => openTask(instance, machines, family),
        purpose: 'drill',
        seed: index,
      };
    }
  }

  const killer = async (): Promise<void> => {
    while (!over()) {
      await pause(random.next() * apartMs);
      const candidates = descendants().filter((pid) => !ownProcesses.has(pid) && parts.test(nameOf(pid)));
      const pid = candidates[random.int(Math.max(1, candidates.length))];
      if (pid === undefined) continue;
      const name = nameOf(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        continue;
      }
      killed++;
      result.kills[name] = (result.kills[name] ?? 0) + 1;
      onProgress(killed / kills, `${killed} of ${kills} kills, ${result.episodes} episodes`);
    }
  };

  let killing: Promise<void> | undefined;
  try {
    const running = runEpisodes({ pool, jobs: jobs(), policy: oraclePolicy, concurrency: sessions, retries, signal });
    killing = killer();
    for await (const episode of running) {
      result.episodes++;
      if (!episode.verdict?.success) result.scoredWrongly.push(failure(episode));
    }
    await killing;
    result.infraErrors = running.counts.infraErrors;
    result.givenUp = [...running.givenUp];
    return result;
  } finally {
    failed.abort();
    await killing;
    await pool.close();
  }
}

function failure({ task, end, turns, verdict }: Episode): string {
  return `${task.id}: ${JSON.stringify(end)} after ${turns.length} turns, ${JSON.stringify(verdict?.evidence).slice(0, 300)}`;
}

/** A task's own programs are excluded: the agent may close an editor. */
const parts = /^(chrom|headless|Xvfb|openbox|dbus-daemon|bwrap)/;

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'gone';
  }
}
