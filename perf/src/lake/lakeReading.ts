import { Lake } from '@gyre/lake';

export interface ReadingRequest {
  readonly dir: string;
  readonly batch: number;
  readonly seed: number;
  readonly rounds: number;
}

export interface LakeReading {
  readonly index: {
    /** Until the first episode: checksums every file. */
    readonly ms: number;
    /** Growth and peak, in MiB. */
    readonly mebibytes: number;
    readonly peakMebibytes: number;
  };
  /** Random successful training episodes, with turns. */
  readonly batch: {
    readonly episodes: number;
    readonly turns: number;
    readonly median: number;
    readonly p95: number;
    /** Mean. */
    readonly processorMs: number;
  };
  /** The same batch by DuckDB, and success by family. */
  readonly sql: { readonly batch: number; readonly byFamily: number };
}

async function read({ dir, batch, seed, rounds }: ReadingRequest): Promise<LakeReading> {
  const resident = () => {
    globalThis.gc?.();
    return process.memoryUsage.rss() / 2 ** 20;
  };
  const families = [0, 3, 8, 13, 18].map((number) => `family${number}`);
  const filter = { family: families, split: 'train', success: true } as const;
  const random = uniform(seed);
  const before = resident();
  const opening = performance.now();
  const lake = await Lake.open(dir);
  await lake.sample({}, 1, random);
  const ms = performance.now() - opening;
  const index = { ms, mebibytes: resident() - before, peakMebibytes: process.resourceUsage().maxRSS / 1024 };

  let turns = 0;
  const times: number[] = [];
  const used = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const episodes = await lake.sample(filter, batch, random);
    times.push(performance.now() - start);
    turns = episodes.reduce((sum, episode) => sum + episode.turns.length, 0);
  }
  const { user, system } = process.cpuUsage(used);
  const processorMs = (user + system) / 1_000 / rounds;
  times.sort((a, b) => a - b);
  const timed = async (statement: string) => {
    const durations: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      await lake.sql(statement);
      durations.push(performance.now() - start);
    }
    return durations.sort((a, b) => a - b)[1]!;
  };
  const names = families.map((family) => `'${family}'`).join(', ');
  const sql = {
    batch: await timed(
      `SELECT * FROM turns WHERE episode_id IN (SELECT episode_id FROM episodes WHERE family IN (${names}) AND split = 'train' AND success USING SAMPLE ${batch} ROWS)`,
    ),
    byFamily: await timed('SELECT family, count(*), avg(success::INT) FROM episodes GROUP BY ALL'),
  };
  await lake.close();
  const [median, p95] = [times[times.length >> 1]!, times[Math.floor(0.95 * times.length)]!];
  return { index, batch: { episodes: batch, turns, median, p95, processorMs }, sql };
}

function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

process.stdout.write(JSON.stringify(await read(JSON.parse(process.argv[2]!) as ReadingRequest)));
