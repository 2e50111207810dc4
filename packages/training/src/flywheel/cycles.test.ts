import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCycles, resumeSettings } from './cycles.js';
import type { CycleWork } from './cycleStages.js';
import type { HeldOutResult } from './heldOut.js';
import { Journal } from './journal.js';
import { type PresetName, presetNames, presets } from './presets.js';
import type { Routing } from './routing.js';
import { type GivenSettings, Settings } from './settings.js';

const input = {
  cycles: 4,
  minutes: 100,
  families: ['click', 'form'],
  cycle: { ct: { every: 2 } },
} satisfies GivenSettings;

const tallies: Routing['tallies'] = { click: { n: 98, successes: 49 }, form: { n: 1000, successes: 0 } };

/**
 * Stages take a minute. `skill` is the number of solved `click` tasks, of ten, after each cycle; `form` is never
 * solved. The stage `dies` throws once.
 */
async function go(options: {
  dir?: string;
  settings?: GivenSettings;
  skill?: readonly number[];
  dies?: string;
  disk?: number;
  learnsIn?: 'sft' | 'rl';
}) {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'gyre-cycles-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const settings = Settings.parse({ ...input, ...options.settings });
  const { skill = [1, 3, 5, 7, 9], dies, disk = 0, learnsIn = 'rl' } = options;
  const done: string[] = [];
  const allowed: Record<string, { minutes: number; familyWeights: Readonly<Record<string, number>> }> = {};
  let cycles = 0;
  const weights = {
    save: (path: string) => import('node:fs/promises').then(({ writeFile }) => writeFile(path, String(cycles))),
    load: async (path: string) => {
      const { readFile } = await import('node:fs/promises');
      cycles = Number(await readFile(path, 'utf8'));
    },
  };
  let clock = 0;
  const journal = await Journal.open(dir, {
    run: resumeSettings(settings),
    resume: true,
    weights,
    now: () => (clock += 60_000),
  });
  const did = <T>(stage: string, outcome: T): Promise<T> => {
    if (stage === dies) throw new Error('killed');
    done.push(stage);
    return Promise.resolve(outcome);
  };
  const measure = (split: string, name: string): Promise<HeldOutResult> => {
    const solved = skill[cycles] ?? 0;
    const episodes = Array.from({ length: 20 }, (_, i) => {
      const family = i < 10 ? 'click' : 'form';
      return { id: `${name} ${i}`, task: { id: `${family}/${split}/${i}`, family }, verdict: { success: i < solved } };
    });
    const results = [solved / 10, 0].map((success, i) => ({
      ...{
        family: i === 0 ? 'click' : 'form',
        n: 10,
        success,
        low: 0,
        high: 1,
        score: success,
        givenUp: 0,
        infraErrors: 0,
      },
    }));
    return did(`evaluate ${name}`, { turns: 20, purpose: `eval ${name}`, results, episodes });
  };
  const route = (cycle: number): Promise<Routing> =>
    did(`route ${cycle}`, {
      turns: 0,
      flows: [{ origin: 'rollout', verdict: 'solved', to: 'sft', n: 5 * cycle }],
      leftOut: {},
      pools: { ct: 5 * cycle, sft: 5 * cycle, rl: 0 },
      tallies: cycle === 0 ? {} : tallies,
      file: `routes/cycle-${cycle}.jsonl`,
    } satisfies Routing);
  const supervised = { turns: 0 as const, steps: 1, episodes: 1, data: 1, version: 1, shares: {}, curve: [] };
  const work: CycleWork = {
    baselines: () => did('baselines', { turns: 8, oracle: [], random: [] }),
    coldStart: () => did('cold start', { turns: 0 as const }),
    measure,
    route,
    ct: (cycle, allowance) => did(`ct ${cycle}`, ((allowed[`ct ${cycle}`] = allowance), supervised)),
    sft: (cycle, allowance) => {
      if (learnsIn === 'sft') cycles++;
      return did(`sft ${cycle}`, ((allowed[`sft ${cycle}`] = allowance), supervised));
    },
    rl: (cycle, allowance) => {
      allowed[`rl ${cycle}`] = allowance;
      if (learnsIn === 'rl') cycles++;
      return did(`rl ${cycle}`, { turns: 100, iterations: [] });
    },
    generate: (cycle) => did(`generate ${cycle}`, { turns: 50, purpose: '', tasks: 1, attempts: 1, solved: 1 }),
    disk: () => Promise.resolve(disk),
    load: weights.load,
  };
  const result = await runCycles(work, settings, journal).catch((error: unknown) => error);
  return { dir, done, allowed, result: result as Awaited<ReturnType<typeof runCycles>>, cycles };
}

const order = [
  ...['baselines', 'cold start', 'route 0', 'evaluate start', 'evaluate cycle 0'],
  // Pools are empty before the first cycle; CT runs every second time.
  ...['rl 1', 'generate 1', 'route 1', 'evaluate cycle 1'],
  ...['ct 2', 'sft 2', 'rl 2', 'generate 2', 'route 2', 'evaluate cycle 2'],
  ...['sft 3', 'rl 3', 'generate 3', 'route 3', 'evaluate cycle 3'],
  ...['ct 4', 'sft 4', 'rl 4', 'generate 4', 'route 4', 'evaluate cycle 4'],
  'evaluate trained',
];

test('cycles run SFT and RL more often than CT, and train more on weak families', async () => {
  const { done, allowed, result } = await go({});
  expect(done).toEqual(order);
  expect(result.cycles).toMatchObject({ tested: 4, stopped: 'all cycles are done' });
  expect(allowed['rl 1']?.familyWeights).toEqual({ click: 1, form: 1 });
  expect(allowed['rl 2']?.familyWeights.click).toBeCloseTo(10 * (allowed['rl 2']?.familyWeights.form ?? 0));
  expect((allowed['rl 2']?.minutes ?? 0) / (allowed['sft 2']?.minutes ?? 1)).toBeCloseTo(0.5 / 0.2);
  const gains = result.cycles.all.map(({ gains: of }) => of.click?.mean);
  expect(gains).toEqual([undefined, ...[0.2, 0.2, 0.2, 0.2].map((gain) => expect.closeTo(gain) as number)]);
  expect(result.families[0]).toMatchObject({ family: 'click', start: { success: 0.1 }, trained: { success: 0.9 } });
  expect(result.cycles.all[2]?.stages.map(({ stage }) => stage)).toEqual(order.slice(9, 15));
});

test('a run killed in any stage resumes with the result of an uninterrupted run', async () => {
  const settings = { cycles: 2 };
  const whole = await go({ settings });
  const stages = [...order.slice(0, 15), 'evaluate trained'];
  expect(whole.done).toEqual(stages);
  for (const dies of stages) {
    const { dir, done, result } = await go({ settings, dies });
    expect(result).toBeInstanceOf(Error);
    const resumed = await go({ settings, dir });
    expect([...done, ...resumed.done]).toEqual(stages);
    expect(resumed.result).toEqual(whole.result);
    expect(resumed.cycles).toBe(whole.cycles);
  }
});

test('stages with a share of 0 are skipped, and the weights are those of the last trained stage', async () => {
  const none = { share: 0 };
  const supervised = { cycles: 2, cycle: { rl: none, ct: none } };
  const { done, result } = await go({ settings: supervised });
  expect(done.slice(5)).toEqual([
    ...['generate 1', 'route 1', 'evaluate cycle 1'],
    ...['sft 2', 'generate 2', 'route 2', 'evaluate cycle 2', 'evaluate trained'],
  ]);
  expect(result.cycles).toMatchObject({ tested: 2, weights: 'sft 2' });
  const practice = await go({ settings: { cycles: 2, cycle: { sft: none, ct: none, generate: none } } });
  expect(practice.done.slice(5)).toEqual([
    ...['rl 1', 'route 1', 'evaluate cycle 1', 'rl 2', 'route 2', 'evaluate cycle 2', 'evaluate trained'],
  ]);
  expect(practice.result.cycles).toMatchObject({ tested: 2, weights: 'rl 2' });
  const settings = { cycles: 2, cycle: { rl: none, ct: none } };
  const { dir, result: broken } = await go({ settings, dies: 'generate 2', learnsIn: 'sft' });
  expect(broken).toBeInstanceOf(Error);
  const resumed = await go({ settings, dir, learnsIn: 'sft' });
  expect(resumed.result.cycles).toMatchObject({ tested: 2, weights: 'sft 2' });
  expect(resumed.cycles).toBe(1);
});

test('stops without a gain, and tests the latest weights that are not significantly worse than the best', async () => {
  const settings = { cycle: { patience: 2 } };
  // One task of twenty is not significant.
  const { done, result, cycles } = await go({ settings, skill: [1, 9, 8, 8, 9] });
  expect(done.at(-2)).toBe('evaluate cycle 3');
  expect(result.cycles).toMatchObject({ tested: 3, stopped: '2 cycles brought no gain' });
  expect(cycles).toBe(3);
  const fallen = await go({ settings, skill: [1, 9, 8, 2, 9] });
  expect(fallen.result.cycles).toMatchObject({ tested: 2, weights: 'rl 2' });
  expect(fallen.cycles).toBe(2);
});

test.each<[string, GivenSettings, number, string]>([
  ['minutes', { minutes: 14 }, 0, 'the time budget is used up'],
  ['turns', { cycle: { turns: 300 } }, 0, '388 turns were played (limit: 300)'],
  ['disk', { cycle: { diskGiB: 2 } }, 3, 'the run takes 3.00 GiB (limit: 2)'],
])('it stops where a budget is spent: %s', async (_, settings, disk, stopped) => {
  const { done, result } = await go({ settings, disk });
  expect(result.cycles.stopped).toBe(stopped);
  expect(done.at(-1)).toBe('evaluate trained');
});

test('a resumed run may change its budget only', async () => {
  const { dir } = await go({ settings: { minutes: 14 } });
  const longer = await go({ dir, settings: { minutes: 100, sessions: 3 } });
  expect(longer.result).toBeInstanceOf(Error);
  const journal = Journal.check(dir, { run: resumeSettings(Settings.parse({ ...input, seed: 2 })), resume: true });
  await expect(journal).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'seed' } });
});

test.each<PresetName>([...presetNames])('the preset %s fits', (name) => {
  const { cycles, families } = Settings.parse(presets[name]);
  expect(cycles).toBeGreaterThan(1);
  expect(families.length).toBeGreaterThanOrEqual(name === 'quick' ? 3 : 12);
});
