import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Random } from '@gyre/engine';
import { drilledStages, valueAfter } from './drilledRun.js';
import type { StorageDrill } from './lakes.js';

const program = fileURLToPath(new URL('runProgram.js', import.meta.url));

/** The longest life of an owner, in ms: it is killed from the taking of the lock to its last stage. */
const lifeMs = 150;

/**
 * Kills the owner of a run with SIGKILL at random instants and resumes it, again and again. The run must know every stage that was
 * acknowledged, with the weights of the last.
 */
export async function killOwners(
  kills: number,
  random: Random,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<StorageDrill> {
  let [killed, acknowledged, reached] = [0, 0, 0];
  const lost: string[] = [];
  let folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
  try {
    while (killed < kills && !signal.aborted) {
      const { text, errors } = await killOwner(folder, random.next() * lifeMs);
      killed++;
      onProgress(killed / kills, `${killed} of ${kills} owners killed`);
      if (errors !== '') lost.push(errors.trim().slice(0, 300));
      const stages = [...text.matchAll(/^stage (\d+)\n/gm)].map(([, number]) => Number(number));
      acknowledged += stages.length;
      reached = Math.max(reached, ...stages);
      lost.push(...(await missingFrom(folder, reached)));
      if (reached === drilledStages) {
        await rm(folder, { recursive: true, force: true });
        folder = await mkdtemp(join(tmpdir(), 'gyre-drill-'));
        reached = 0;
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { faults: killed, acknowledged, lost };
}

async function killOwner(folder: string, afterMs: number): Promise<{ text: string; errors: string }> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const said = { text: '', errors: '' };
  child.stdout.on('data', (data: Buffer) => (said.text += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said.errors += data.toString()));
  try {
    await Promise.race([once(child.stdout, 'data'), closed]);
    await Promise.race([pause(afterMs), closed]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
  return said;
}

/** Returns which of the acknowledged stages a run directory does not have, and whether its weights are those of its last stage. */
async function missingFrom(folder: string, reached: number): Promise<string[]> {
  const text = await readFile(join(folder, 'state.json'), 'utf8').catch(() => '{"stages":[]}');
  const { stages } = JSON.parse(text) as { stages: { weights?: string }[] };
  if (stages.length < reached) return [`the run has ${stages.length} of ${reached} stages`];
  const newest = stages.at(-1)?.weights;
  if (newest === undefined) return [];
  const value = parseInt(await readFile(join(folder, newest), 'utf8').catch(() => ''), 10);
  return value === valueAfter(stages.length) ? [] : [`the weights after stage ${stages.length} are ${value}`];
}
