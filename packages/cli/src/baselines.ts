import { GyreError } from '@gyre/protocol';
import { suites } from '@gyre/tasks';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BaselineEntry } from './baselineEntry.js';
import { baselinePage } from './baselinePage.js';
import { suiteNameOf } from './families.js';
import type { RolloutResult } from './rollouts.js';

const File = z.strictObject({ results: z.array(BaselineEntry) });

/** Where those of gyre's own suites are, in a checkout of it. */
const kept = fileURLToPath(new URL('../../../docs/research/baselines.json', import.meta.url));

/** What random actions and the scripted solution, which is the reference, achieve: the two ends of a normalised score. */
export class Baselines {
  private constructor(private readonly entries: readonly BaselineEntry[]) {}

  /**
   * Those of a file, or those that come with gyre, where there are any. A file that is to be written need not be there.
   *
   * @throws GyreError `bad_input` for a file that is none of baselines.
   */
  static async read(path: string | undefined, { mayBeMissing = path === undefined } = {}): Promise<Baselines> {
    const file = path ?? kept;
    if (mayBeMissing && !existsSync(file)) return new Baselines([]);
    try {
      return new Baselines(File.parse(JSON.parse(await readFile(file, 'utf8'))).results);
    } catch (cause) {
      throw new GyreError('bad_input', `${file} has no baselines`, {
        field: '--baselines',
        fix: 'name a file that `gyre eval --policy random --record FILE` has written',
        cause,
      });
    }
  }

  /** Of a policy on a family; undefined where nobody knows. */
  of({ family, split }: Pick<RolloutResult, 'family' | 'split'>, policy: BaselineEntry['policy']) {
    return this.entries.find((entry) => entry.family === family && entry.split === split && entry.policy === policy);
  }

  /** Others, in which these results stand for what was there of the same family, split and policy. */
  with(results: readonly BaselineEntry[]): Baselines {
    const replaced = ({ family, split, policy }: BaselineEntry) =>
      results.some((one) => one.family === family && one.split === split && one.policy === policy);
    return new Baselines([...this.entries.filter((entry) => !replaced(entry)), ...results].sort(byPlace));
  }

  /**
   * Where a result lies between random actions, 0, and the reference, 1: (score − random) / (reference − random). Of games the score is
   * what they count themselves. Undefined where one of the two is not known, or they are the same.
   */
  normalised(result: Pick<RolloutResult, 'family' | 'split' | 'score' | 'gameScore'>): number | undefined {
    const [random, reference] = [this.of(result, 'random'), this.of(result, 'oracle')];
    if (!random || !reference) return undefined;
    const [low, high, score] = [random, reference, result].map((one) => one.gameScore ?? one.score) as [
      number,
      number,
      number,
    ];
    return low === high ? undefined : (score - low) / (high - low);
  }

  /** Writes them down, and a table of them beside, as `.md`. */
  async write(path: string): Promise<void> {
    await writeFile(path, `${JSON.stringify({ results: this.entries }, null, 2)}\n`);
    await writeFile(path.replace(/(\.json)?$/, '.md'), baselinePage(this.entries));
  }
}

/** A result as it is kept; nothing where no episode has a verdict. @param date when it was played. */
export function entryOf(result: RolloutResult, date: string): BaselineEntry[] {
  const { family, split, policy, n, success, low, high, score, gameScore } = result;
  const entry = { family, suite: suiteNameOf(family), split, policy, n, success, low, high, score, gameScore, date };
  return n === 0 ? [] : [BaselineEntry.parse(entry)];
}

/** In the order of suites and their families; families of suites that are not here come last. */
function byPlace(a: BaselineEntry, b: BaselineEntry): number {
  const names = Object.values(suites()).flatMap((suite) => Object.keys(suite));
  const place = ({ family }: BaselineEntry) => (names.includes(family) ? names.indexOf(family) : names.length);
  return place(a) - place(b) || a.family.localeCompare(b.family) || a.split.localeCompare(b.split);
}
