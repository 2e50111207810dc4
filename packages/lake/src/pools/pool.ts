import { join } from 'node:path';
import { type ContentHash, type Episode, GyreError } from '@gyre/protocol';
import PQueue from 'p-queue';
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
  requireIndependentVerdict,
  requireTrainTask,
  policyVersionOf,
} from './poolSample.js';

export interface Offer {
  readonly episode: Episode;
  readonly origin: SampleOrigin;
  readonly cycle: number;
  /** Default: all. */
  readonly turns?: readonly number[];
  readonly weight?: number;
}

export interface Added {
  readonly version: number;
  readonly added: readonly string[];
  /** Lets an interrupted offer be repeated. */
  readonly known: readonly string[];
  readonly duplicates: readonly { readonly episode: string; readonly original: string }[];
}

interface PoolTerms {
  readonly fs: FileSystem;
  readonly root: string;
  readonly aside: () => Promise<string>;
  readonly list: (written: Written) => Promise<void>;
  readonly screenshot: (hash: ContentHash) => Promise<Uint8Array>;
  readonly onDamage: (damage: Damage) => void;
}

/** Version and checksum. */
const fileName = /^(\d{8})-([0-9a-f]{8})\.jsonl$/;

/** Append-only samples of one stage. A version adds `pools/STAGE/VERSION-CRC.jsonl`, atomically and synced. */
export class Pool {
  readonly #terms: PoolTerms;

  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #read = new Map<string, readonly PoolSample[]>();

  constructor(
    readonly stage: PoolStage,
    terms: PoolTerms,
  ) {
    this.#terms = terms;
  }

  /**
   * Adds a version of episodes that are neither present nor near-duplicates.
   * @throws GyreError `bad_input` for an episode outside `train`, without turns, or judged by its agent; `corrupt`
   * without its first screenshot; `storage`
   */
  add(offers: readonly Offer[]): Promise<Added> {
    return this.#queue.add(() => this.#write(offers));
  }

  /** Returns samples up to a version, oldest first. */
  async samples(version = Infinity): Promise<PoolSample[]> {
    const out: PoolSample[] = [];
    for (const name of await this.#files()) if (numberOf(name) <= version) out.push(...(await this.#fileOf(name)));
    return out;
  }

  async version(): Promise<number> {
    return Math.max(0, ...(await this.#files()).map(numberOf));
  }

  async #write(offers: readonly Offer[]): Promise<Added> {
    for (const { episode } of offers) {
      requireTrainTask(episode.task);
      requireIndependentVerdict(episode);
    }
    const there = await this.samples();
    const known = new Set(there.map(({ episode }) => episode));
    const near = new NearDuplicates();
    for (const sample of there) near.add(sample);
    const added: PoolSample[] = [];
    const again: string[] = [];
    const duplicates: { episode: string; original: string }[] = [];
    for (const offer of offers) {
      const { id } = offer.episode;
      if (known.has(id)) {
        again.push(id);
        continue;
      }
      const sample = await this.#sampleOf(offer);
      const original = near.find(sample.look);
      if (original !== undefined) {
        duplicates.push({ episode: id, original });
        continue;
      }
      known.add(id);
      near.add(sample);
      added.push(sample);
    }
    const before = await this.version();
    if (added.length > 0) await this.#put(before + 1, added);
    return {
      version: added.length > 0 ? before + 1 : before,
      added: added.map(({ episode }) => episode),
      known: again,
      duplicates,
    };
  }

  async #put(version: number, samples: readonly PoolSample[]): Promise<void> {
    const text = samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
    const bytes = Buffer.from(text);
    const name = `${String(version).padStart(8, '0')}-${checksum(bytes)}.jsonl`;
    const folder = await makeFolder(this.#terms.fs, this.#folder);
    await writeWhole(this.#terms.fs, {
      path: join(folder, name),
      aside: await this.#terms.aside(),
      bytes,
      sync: true,
    });
    this.#read.set(name, samples);
    await this.#terms.list({ file: `pools/${this.stage}/${name}`, bytes });
  }

  async #sampleOf({ episode, origin, cycle, turns, weight = 1 }: Offer): Promise<PoolSample> {
    const { id, task, policy, verdict } = episode;
    const chosen = turns ?? episode.turns.map(({ index }) => index);
    const [first] = chosen;
    const missing = chosen.find((index) => episode.turns[index] === undefined);
    if (first === undefined || missing !== undefined) {
      const problem = first === undefined ? 'has no turns to train on' : `has no turn ${String(missing)}`;
      throw new GyreError('bad_input', `episode ${id} ${problem}`, {
        field: 'turns',
        fix: 'omit the episode, or give turns that it has',
      });
    }
    const { screenshot } = first === 0 ? episode.observation : (episode.turns[first - 1] ?? episode).observation;
    const version = policyVersionOf(episode);
    const { licence, format, source } = episode.origin ?? {};
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
        ...(format === 'annotation' && { by: source }),
        weight,
        look: {
          text: textHash(episode, chosen),
          screen: await differenceHash(await this.#terms.screenshot(screenshot)),
        },
      },
      'sample',
    );
  }

  async #files(): Promise<string[]> {
    try {
      return (await this.#terms.fs.readdir(this.#folder)).filter((name) => fileName.test(name)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageError(error, this.#folder);
    }
  }

  async #fileOf(name: string): Promise<readonly PoolSample[]> {
    const known = this.#read.get(name);
    if (known) return known;
    try {
      const text = await this.#terms.fs.readFile(join(this.#folder, name), 'utf8');
      if (checksum(text) !== fileName.exec(name)?.[2])
        throw new Error('its content does not match the checksum in its name');
      const samples = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => PoolSample.parse(JSON.parse(line)));
      this.#read.set(name, samples);
      return samples;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#terms.onDamage({ file: join('pools', this.stage, name), reason });
      return [];
    }
  }

  get #folder(): string {
    return join(this.#terms.root, 'pools', this.stage);
  }
}

const numberOf = (name: string): number => Number(fileName.exec(name)?.[1] ?? 0);
