import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Random } from '@gyre/engine';
import { drillStages, valueAfter } from './drillRun.js';
import { runAndKill } from './runAndKill.js';
import type { StorageDrill } from './lakes.js';

const program = fileURLToPath(new URL('./runProgram.js', import.meta.url));

/** Maximum life in ms: ends between the lock and the last stage. */
const lifeMs = 150;

/** Owners mostly start up. */
const runs = 2;

/** Kills a run's owner at random and resumes it, expecting every acknowledged stage and the latest weights. */
export async function killOwners(
  kills: number,
  random: Random,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<StorageDrill> {
  const sum = { faults: 0, acknowledged: 0, lost: [] as string[] };
  let begun = 0;
  const mayKill = (): boolean => !signal.aborted && begun++ < kills;
  const drillOnce = () =>
    killOwnersOf(mayKill, random, (acknowledged, lost) => {
      sum.acknowledged += acknowledged;
      sum.lost.push(...lost);
      onProgress(++sum.faults / kills, `${sum.faults} of ${kills} owners killed`);
    });
  await Promise.all(Array.from({ length: runs }, drillOnce));
  return sum;
}

async function killOwnersOf(
  mayKill: () => boolean,
  random: Random,
  onKill: (acknowledged: number, lost: readonly string[]) => void,
): Promise<void> {
  let reached = 0;
  let folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
  try {
    while (mayKill()) {
      const { text, errors } = await runAndKill(program, [folder], random.next() * lifeMs);
      const stages = [...text.matchAll(/^stage (\d+)\n/gm)].map(([, number]) => Number(number));
      reached = Math.max(reached, ...stages);
      const failed = errors === '' ? [] : [errors.trim().slice(0, 300)];
      onKill(stages.length, [...failed, ...(await missingFrom(folder, reached))]);
      if (reached === drillStages) {
        await rm(folder, { recursive: true, force: true });
        folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
        reached = 0;
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function missingFrom(folder: string, reached: number): Promise<string[]> {
  const text = await readFile(join(folder, 'state.json'), 'utf8').catch(() => '{"stages":[]}');
  const { stages } = JSON.parse(text) as { stages: { weights?: string }[] };
  if (stages.length < reached) return [`the run has ${stages.length} of ${reached} stages`];
  const newest = stages.at(-1)?.weights;
  if (newest === undefined) return [];
  const value = parseInt(await readFile(join(folder, newest), 'utf8').catch(() => ''), 10);
  return value === valueAfter(stages.length) ? [] : [`the weights after stage ${stages.length} are ${value}`];
}
