import { Lake } from '@gyre/lake';
import type { EpisodeStart, Turn } from '@gyre/protocol';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LakeReading, ReadingRequest } from './lakeReading.js';

export interface LakeBench extends LakeReading {
  readonly turns: number;
  readonly episodes: number;
  readonly files: number;
  readonly bytes: number;
  /** Turns, with all records of their episodes. */
  readonly appendedPerSecond: number;
  readonly processorMsPerTurn: number;
}

const writers = 32;
const families = 20;

/** Writes a lake like agents do, and reads it in a new process. */
export async function benchLake(options: {
  turns: number;
  batch: number;
  seed: number;
  signal: AbortSignal;
  onProgress: (share: number, message: string) => void;
}): Promise<LakeBench> {
  const { turns, batch, seed, signal, onProgress } = options;
  const dir = await mkdtemp(join(tmpdir(), 'gyre-bench-lake-'));
  try {
    const [start, used] = [performance.now(), process.cpuUsage()];
    const episodes = await writeLake(dir, { turns, signal, onProgress });
    const appendedPerSecond = (1_000 * turns) / (performance.now() - start);
    const { user, system } = process.cpuUsage(used);
    const processorMsPerTurn = (user + system) / 1_000 / turns;
    const files = await readdir(join(dir, 'episodes'));
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(dir, 'episodes', name))).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    onProgress(1, 'reading');
    const reading = await readAnew({ dir, batch, seed, rounds: 40 });
    return { turns, episodes, files: files.length, bytes, appendedPerSecond, processorMsPerTurn, ...reading };
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Writes a lake of so many turns like agents do, and returns its number of episodes. */
export async function writeLake(
  dir: string,
  {
    turns,
    signal,
    onProgress,
  }: { turns: number; signal: AbortSignal; onProgress: (share: number, message: string) => void },
): Promise<number> {
  const lake = await Lake.open(dir);
  let [begun, written, episodes] = [0, 0, 0];
  const write = async () => {
    while (begun < turns) {
      signal.throwIfAborted();
      const length = Math.min(episodeLength(episodes), turns - begun);
      begun += length;
      await writeEpisode(lake, episodes++, length);
      written += length;
      onProgress(written / turns, `${written} turns`);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await lake.close();
  return episodes;
}

/** Returns 5 to 15 turns, mean 10. */
function episodeLength(number: number): number {
  return 5 + ((number * 7) % 11);
}

async function writeEpisode(lake: Lake, number: number, length: number): Promise<void> {
  const size = { width: 320, height: 240 };
  const look = async (turn: number) => {
    const png = Buffer.from(`screen ${(number * 31 + turn) % 4096}`.padEnd(64));
    return { screenshot: await lake.putScreenshot(png), size };
  };
  const split = number % 10 === 9 ? 'test' : 'train';
  const family = `family${number % families}`;
  const start: EpisodeStart = {
    id: `episode/${number}`,
    task: {
      ...{ id: `${family}/${split}/${number}`, family, split, seed: number, screen: size },
      ...{ instruction: `Write "${number}" into the field and press Save.`, surfaces: ['screen'], stepBudget: 20 },
    },
    ...{ policy: 'bench', purpose: 'ppo', seed: number, startedAt: new Date().toISOString() },
    observation: await look(0),
  };
  const writer = await lake.begin(start);
  for (let index = 0; index < length; index++) {
    const turn: Turn = {
      index,
      thought: `Step ${index}: the field of task ${number} is empty, so it is clicked before anything is typed.`,
      actions: [{ type: 'click', point: { x: ((number + index) % 97) / 97, y: ((number * index) % 89) / 89 } }],
      sample: {
        tokens: Array.from({ length: 12 }, (_, i) => (number * 7 + index * 13 + i * 29) % 512),
        logprobs: Array.from({ length: 12 }, (_, i) => -Math.abs(Math.sin(number + index * 12 + i))),
        policyVersion: number >> 10,
      },
      observation: await look(index + 1),
      reward: index === length - 1 ? 1 : 0,
    };
    await writer.append(turn);
  }
  const success = number % 3 !== 0;
  await writer.finish({ state: 'finished' }, { success, score: success ? 1 : 0, source: 'verifier', evidence: {} });
}

/** Measures a new process's memory. */
async function readAnew(request: ReadingRequest): Promise<LakeReading> {
  const program = fileURLToPath(new URL('./lakeReading.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, JSON.stringify(request)]);
  return JSON.parse(stdout) as LakeReading;
}
