import { GyreError } from '@gyre/protocol';
import { suites } from '@gyre/tasks';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BaselineEntry } from './baselineEntry.js';
import { baselinePage } from './baselinePage.js';
import { suiteNameOf } from '../families/families.js';
import type { RolloutResult } from '@gyre/training';

const File = z.strictObject({ results: z.array(BaselineEntry) });

/** Baselines of gyre's own suites, in a clone of its repository. */
const kept = fileURLToPath(new URL('../../../../docs/research/baselines.json', import.meta.url));

/** Results of random actions and of the scripted solution, the reference: 0 and 1 of a normalised score. */
export class Baselines {
  private constructor(private readonly entries: readonly BaselineEntry[]) {}

  /**
   * Reads a file, by default the one in gyre's repository, if there is one.
   *
   * @throws GyreError `bad_input` for a file that holds no baselines.
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

  /** Returns the result of a policy on a family; undefined if unknown. */
  of({ family, split }: Pick<RolloutResult, 'family' | 'split'>, policy: BaselineEntry['policy']) {
    return this.entries.find((entry) => entry.family === family && entry.split === split && entry.policy === policy);
  }

  /** Returns a copy in which `results` replace those of the same family, split and policy. */
  with(results: readonly BaselineEntry[]): Baselines {
    const replaced = ({ family, split, policy }: BaselineEntry) =>
      results.some((one) => one.family === family && one.split === split && one.policy === policy);
    return new Baselines([...this.entries.filter((entry) => !replaced(entry)), ...results].sort(byPlace));
  }

  /**
   * Returns (score − random) / (reference − random), for games in their own points. Undefined if one of the two is unknown, or they are
   * equal.
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

  /** Writes a JSON file, and a table next to it as `.md`. */
  async write(path: string): Promise<void> {
    await writeFile(path, `${JSON.stringify({ results: this.entries }, null, 2)}\n`);
    await writeFile(path.replace(/(\.json)?$/, '.md'), baselinePage(this.entries));
  }
}

/** Returns a result as it is stored; empty if no episode has a verdict. */
export function entryOf(result: RolloutResult, date: string): BaselineEntry[] {
  const { family, split, policy, n, success, low, high, score, gameScore } = result;
  const entry = { family, suite: suiteNameOf(family), split, policy, n, success, low, high, score, gameScore, date };
  return n === 0 ? [] : [BaselineEntry.parse(entry)];
}

/** Compares by suite, then family; unknown families come last. */
function byPlace(a: BaselineEntry, b: BaselineEntry): number {
  const names = Object.values(suites()).flatMap((suite) => Object.keys(suite));
  const place = ({ family }: BaselineEntry) => (names.includes(family) ? names.indexOf(family) : names.length);
  return place(a) - place(b) || a.family.localeCompare(b.family) || a.split.localeCompare(b.split);
}
