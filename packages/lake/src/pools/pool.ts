import { join } from 'node:path';
import { type ContentHash, type Episode, GyreError } from '@gyre/protocol';
import { checksum } from '../store/checksum.js';
import type { Damage } from '../store/episodeFiles.js';
import { check } from '../store/episodeWriter.js';
import { type FileSystem, isMissing, makeFolder, storageError, writeWhole } from '../store/fileSystem.js';
import { NearDuplicates, differenceHash, textHash } from './nearDuplicates.js';
import type { Written } from '../store/manifest.js';
import {
  PoolSample,
  type PoolStage,
  type SampleOrigin,
  expectIndependent,
  expectTrain,
  policyVersionOf,
} from './poolSample.js';

/** An episode that is to be learnt from. What else a sample says is read from the episode, so that nobody can claim it. */
export interface Offer {
  readonly episode: Episode;
  readonly origin: SampleOrigin;
  readonly cycle: number;
  /** Places of the turns to learn from; by default all. */
  readonly turns?: readonly number[];
  /** Default 1. */
  readonly weight?: number;
}

/** What became of the episodes that were offered. Each is in one of the lists. */
export interface Added {
  /** The version that holds them; the one before where nothing was added. */
  readonly version: number;
  readonly added: readonly string[];
  /** In the pool already, so that what was broken off can be offered again. */
  readonly known: readonly string[];
  /** Left out: nearly the same as one that is there. */
  readonly duplicates: readonly { readonly episode: string; readonly of: string }[];
}

interface PoolTerms {
  readonly fs: FileSystem;
  /** Of the lake. */
  readonly root: string;
  /** A fresh name for a file that is not whole yet. */
  readonly aside: () => Promise<string>;
  /** Lists a file that was written. */
  readonly list: (written: Written) => Promise<void>;
  readonly screenshot: (hash: ContentHash) => Promise<Uint8Array>;
  readonly onDamage: (damage: Damage) => void;
}

/** A version is a file: its number, and the checksum of its bytes. */
const fileName = /^(\d{8})-([0-9a-f]{8})\.jsonl$/;

/**
 * The samples of one stage: a list that is only added to. `pools/STAGE/VERSION-CRC.jsonl` holds the samples that a version has more than
 * the one before it, a line each; it is there whole or not at all, and synced.
 */
export class Pool {
  private last: Promise<unknown> = Promise.resolve();
  private readonly read = new Map<string, readonly PoolSample[]>();

  constructor(
    readonly stage: PoolStage,
    private readonly terms: PoolTerms,
  ) {}

  /**
   * Adds a version with the episodes that are not there yet and are not nearly the same as one that is.
   * @throws GyreError `bad_input` for an episode of another split than `train`, without turns to learn from, or whose agent has judged it: nothing is then added;
   *   `corrupt` where its first screenshot is not in the lake; `storage`.
   */
  add(offers: readonly Offer[]): Promise<Added> {
    const done = this.last.then(() => this.write(offers));
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Every sample up to a version, oldest first; by default all. Damaged files are skipped and said. */
  async samples(version = Infinity): Promise<PoolSample[]> {
    const out: PoolSample[] = [];
    for (const name of await this.files()) if (numberOf(name) <= version) out.push(...(await this.fileOf(name)));
    return out;
  }

  /** The number of the last version; 0 of an empty pool. */
  async version(): Promise<number> {
    return Math.max(0, ...(await this.files()).map(numberOf));
  }

  private async write(offers: readonly Offer[]): Promise<Added> {
    for (const { episode } of offers) {
      expectTrain(episode.task);
      expectIndependent(episode);
    }
    const there = await this.samples();
    const known = new Set(there.map(({ episode }) => episode));
    const near = new NearDuplicates();
    for (const sample of there) near.add(sample);
    const added: PoolSample[] = [];
    const again: string[] = [];
    const duplicates: { episode: string; of: string }[] = [];
    for (const offer of offers) {
      const { id } = offer.episode;
      if (known.has(id)) {
        again.push(id);
        continue;
      }
      const sample = await this.sampleOf(offer);
      const of = near.of(sample.look);
      if (of !== undefined) {
        duplicates.push({ episode: id, of });
        continue;
      }
      known.add(id);
      near.add(sample);
      added.push(sample);
    }
    const before = await this.version();
    if (added.length > 0) await this.put(before + 1, added);
    return {
      version: added.length > 0 ? before + 1 : before,
      added: added.map(({ episode }) => episode),
      known: again,
      duplicates,
    };
  }

  private async put(version: number, samples: readonly PoolSample[]): Promise<void> {
    const text = samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
    const bytes = Buffer.from(text);
    const name = `${String(version).padStart(8, '0')}-${checksum(bytes)}.jsonl`;
    const folder = await makeFolder(this.terms.fs, this.folder);
    await writeWhole(this.terms.fs, {
      path: join(folder, name),
      aside: await this.terms.aside(),
      bytes,
      sync: true,
    });
    this.read.set(name, samples);
    await this.terms.list({ file: `pools/${this.stage}/${name}`, bytes });
  }

  private async sampleOf({ episode, origin, cycle, turns, weight = 1 }: Offer): Promise<PoolSample> {
    const { id, task, policy, verdict } = episode;
    const chosen = turns ?? episode.turns.map(({ index }) => index);
    const [first] = chosen;
    const missing = chosen.find((index) => episode.turns[index] === undefined);
    if (first === undefined || missing !== undefined) {
      const what = first === undefined ? 'has no turns to learn from' : `has no turn ${missing}`;
      throw new GyreError('bad_input', `episode ${id} ${what}`, { field: 'turns', fix: 'leave it out' });
    }
    const { screenshot } = first === 0 ? episode.observation : (episode.turns[first - 1] ?? episode).observation;
    const version = policyVersionOf(episode);
    const licence = episode.origin?.licence;
    return check(
      PoolSample,
      {
        episode: id,
        turns: turns ? [...turns] : 'all',
        family: task.family,
        split: task.split,
        policy,
        ...(version !== undefined && { policyVersion: version }),
        ...(verdict && { verdict: { success: verdict.success, score: verdict.score, source: verdict.source } }),
        cycle,
        origin,
        ...(licence !== undefined && { licence }),
        weight,
        look: {
          text: textHash(episode, chosen),
          screen: await differenceHash(await this.terms.screenshot(screenshot)),
        },
      },
      'sample',
    );
  }

  private async files(): Promise<string[]> {
    try {
      return (await this.terms.fs.readdir(this.folder)).filter((name) => fileName.test(name)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageError(error, this.folder);
    }
  }

  /** Files never change, so each is read once. */
  private async fileOf(name: string): Promise<readonly PoolSample[]> {
    const known = this.read.get(name);
    if (known) return known;
    try {
      const text = await this.terms.fs.readFile(join(this.folder, name), 'utf8');
      if (checksum(text) !== fileName.exec(name)?.[2])
        throw new Error('its bytes do not match the checksum in its name');
      const samples = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => PoolSample.parse(JSON.parse(line)));
      this.read.set(name, samples);
      return samples;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.terms.onDamage({ file: join('pools', this.stage, name), reason });
      return [];
    }
  }

  private get folder(): string {
    return join(this.terms.root, 'pools', this.stage);
  }
}

const numberOf = (name: string): number => Number(fileName.exec(name)?.[1] ?? 0);
