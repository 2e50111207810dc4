import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import type { Random } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { drillEpisode } from './drillEpisode.js';
import { runAndKill } from './runAndKill.js';

export interface StorageDrill {
  /** Kills, or full disks. */
  readonly faults: number;
  readonly acknowledged: number;
  /** Missing, changed or duplicated work. */
  readonly lost: readonly string[];
}

export interface Acknowledged {
  readonly ended: Set<string>;
  readonly turns: Map<string, number>;
  readonly screenshots: Set<string>;
}

export const emptyAcknowledged = (): Acknowledged => ({ ended: new Set(), turns: new Map(), screenshots: new Set() });

const program = fileURLToPath(new URL('./writerProgram.js', import.meta.url));

const writers = 3;
/** Maximum life in ms: ends while opening, writing or closing. */
const lifeMs = 250;
const killsOfLake = 30;

/** Kills parallel writers of a lake at random; returns lost work. */
export async function killWriters(
  kills: number,
  random: Random,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<StorageDrill> {
  let [killed, acknowledged] = [0, 0];
  const lost: string[] = [];
  while (killed < kills && !signal.aborted) {
    const folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
    try {
      const work = emptyAcknowledged();
      const killLimit = Math.min(killsOfLake, kills - killed);
      let begun = 0;
      const killWriter = async (): Promise<void> => {
        while (begun < killLimit && !signal.aborted) {
          const { text, errors } = await runAndKill(program, [folder, `writer ${begun++}`], random.next() * lifeMs);
          acknowledge(text, work);
          if (errors !== '') lost.push(errors.trim().slice(0, 300));
          onProgress(++killed / kills, `${killed} of ${kills} writers killed`);
        }
      };
      await Promise.all(Array.from({ length: writers }, killWriter));
      acknowledged += countOf(work);
      lost.push(...(await missingFrom(folder, work)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return { faults: killed, acknowledged, lost };
}

function acknowledge(text: string, { ended, turns, screenshots }: Acknowledged): void {
  for (const line of text.split('\n').slice(0, -1)) {
    const space = line.indexOf(' ');
    const [kind, id] = [line.slice(0, space), line.slice(space + 1)];
    if (kind === 'screenshot') screenshots.add(id);
    if (kind === 'turn') turns.set(id, (turns.get(id) ?? 0) + 1);
    if (kind === 'end') ended.add(id);
  }
}

export function countOf({ ended, turns, screenshots }: Acknowledged): number {
  return ended.size + screenshots.size + [...turns.values()].reduce((sum, count) => sum + count, 0);
}

/** Recovers a lake; returns missing or changed work. */
export async function missingFrom(folder: string, { ended, turns, screenshots }: Acknowledged): Promise<string[]> {
  const lake = await Lake.open(folder);
  try {
    const lost: string[] = [];
    const recovered = new Map<string, Episode>();
    for await (const episode of lake.episodes()) {
      if (recovered.has(episode.id)) lost.push(`${episode.id} is duplicated`);
      recovered.set(episode.id, episode);
    }
    for (const id of ended) if (!isDeepStrictEqual(recovered.get(id), drillEpisode(id))) lost.push(`${id} was changed`);
    for (const [id, count] of turns) {
      const there = recovered.get(id)?.turns ?? [];
      const isSame = isDeepStrictEqual(there, drillEpisode(id).turns.slice(0, there.length));
      if (there.length < count || !isSame) lost.push(`${id} has ${there.length} of ${count} turns, or changed ones`);
    }
    for (const hash of screenshots)
      await lake.screenshot(hash).catch(() => lost.push(`cannot read the screenshot ${hash}`));
    for (const { file, reason } of (await lake.check()).damaged) lost.push(`${file}: ${reason}`);
    return lost;
  } finally {
    await lake.close();
  }
}
