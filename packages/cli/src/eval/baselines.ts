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

const repositoryBaselines = fileURLToPath(new URL('../../../../docs/research/baselines.json', import.meta.url));

/** Results of random (0) and the scripted reference (1), for normalising scores. */
export class Baselines {
  readonly #entries: readonly BaselineEntry[];

  private constructor(entries: readonly BaselineEntry[]) {
    this.#entries = entries;
  }

  /**
   * Reads the repository's file by default, if it exists.
   *
   * @throws GyreError `bad_input` for a file without baselines.
   */
  static async read(path: string | undefined, { mayBeMissing = path === undefined } = {}): Promise<Baselines> {
    const file = path ?? repositoryBaselines;
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

  get entries(): readonly BaselineEntry[] {
    return this.#entries;
  }

  resultOf({ family, split }: Pick<RolloutResult, 'family' | 'split'>, policy: BaselineEntry['policy']) {
    return this.#entries.find((entry) => entry.family === family && entry.split === split && entry.policy === policy);
  }

  /** Returns a copy in which `results` replace matching entries. */
  with(results: readonly BaselineEntry[]): Baselines {
    const replaced = ({ family, split, policy }: BaselineEntry) =>
      results.some((one) => one.family === family && one.split === split && one.policy === policy);
    return new Baselines([...this.#entries.filter((entry) => !replaced(entry)), ...results].sort(bySuite));
  }

  /** Returns (score − random) / (reference − random), using games' own points; undefined if unknown or equal. */
  normalised(result: Pick<RolloutResult, 'family' | 'split' | 'score' | 'gameScore'>): number | undefined {
    const [random, reference] = [this.resultOf(result, 'random'), this.resultOf(result, 'oracle')];
    if (!random || !reference) return undefined;
    const [low, high, score] = [random, reference, result].map((one) => one.gameScore ?? one.score) as [
      number,
      number,
      number,
    ];
    return low === high ? undefined : (score - low) / (high - low);
  }

  async write(path: string): Promise<void> {
    await writeFile(path, `${JSON.stringify({ results: this.#entries }, null, 2)}\n`);
    await writeFile(path.replace(/(\.json)?$/, '.md'), baselinePage(this.#entries));
  }
}

/** Returns no entry if no episode has a verdict. */
export function entryOf(result: RolloutResult, date: string): BaselineEntry[] {
  const { family, split, policy, n, success, low, high, score, gameScore } = result;
  const entry = { family, suite: suiteNameOf(family), split, policy, n, success, low, high, score, gameScore, date };
  return n === 0 ? [] : [BaselineEntry.parse(entry)];
}

function bySuite(a: BaselineEntry, b: BaselineEntry): number {
  const names = Object.values(suites()).flatMap((suite) => Object.keys(suite));
  const place = ({ family }: BaselineEntry) => (names.includes(family) ? names.indexOf(family) : names.length);
  return place(a) - place(b) || a.family.localeCompare(b.family) || a.split.localeCompare(b.split);
}
