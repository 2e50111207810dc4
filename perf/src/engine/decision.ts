import { type Decision, enginePolicy, pixels, type Policy, sceneContext, type ScreenReader } from '@gyre/agent';
import { EngineThread, nativeArchitectures, Random, sceneOf } from '@gyre/engine';
import { GyreError, type Reading } from '@gyre/protocol';
import { LineCache, LineReader, openReader, type Screen } from '@gyre/reader';
import { quantile } from '../platform/quantile.js';
import { collectScreenPairs, type DecisionState, type ScreenPair } from './screenPairs.js';

/** Each is shown on its own screen size. */
const suites = {
  widgets: ['multiField', 'survey', 'search'],
  apps: ['files.rename', 'chat.react', 'mail.compose'],
} as const;

const policyKinds = ['pixels', 'simulated', 'read', 'readChanges'] as const;

/**
 * `pixels` has no reader. The others have one: `simulated` finds the reading with the screen, `read` reads a screen that
 * it has not seen, `readChanges` reads a screen of which it has read the one before.
 */
type PolicyKind = (typeof policyKinds)[number];

/** Medians in ms, unless stated. */
export interface DecisionRow {
  screen: string;
  suite: string;
  policy: PolicyKind;
  decisions: number;
  ms: number;
  p90: number;
  /** Part of `ms`. */
  readingMs: number;
  /** Cutting the screen into tokens, measured on its own. Part of `ms`. */
  sceneMs: number;
  /** Median of the ratios to `pixels` in the same state and round. */
  ratio: number;
}

export interface DecisionBench {
  reader: string;
  threads: number;
  /** `changed` is the share of pixels that the first turn changed. */
  pages: { screen: string; family: string; changed: number }[];
  rows: DecisionRow[];
}

export interface DecisionBenchOptions {
  /** For both screen sizes together, without warm-up. */
  readonly seconds: number;
  /** Per network. */
  readonly threads: number;
  /** As for `openReader`. */
  readonly screenReader?: string | undefined;
  /** Pages per screen size. Default: three. */
  readonly pages?: number | undefined;
  /** Least number of passes over the pages. Default 2. */
  readonly rounds?: number | undefined;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** `share` is 0..1. */
  readonly onProgress?: ((share: number, suite: string) => void) | undefined;
}

/**
 * Measures single decisions of the policy of pixels and of the policy that reads, both of size `nano`, alternately. A
 * decision includes decoding of the screenshot, and calls of the engine's thread. Weights are random, which has no effect
 * on speed: every decision measured is an action with one point, as long as those of trained weights. No screen is known
 * from an earlier round; vectors of strings are, as in an episode. Undefined if aborted.
 *
 * @throws GyreError 'missing' without a browser or a reader
 */
export async function benchDecision(options: DecisionBenchOptions): Promise<DecisionBench | undefined> {
  const { threads, seed, signal, rounds = 2 } = options;
  const lineReader = await openReader({ reader: options.screenReader, threads });
  const engines: EngineThread[] = [];
  try {
    const reader = new ForgetfulReader(lineReader);
    const policyOf = async (architecture: (typeof architectures)[keyof typeof architectures]): Promise<Policy> => {
      const engine = await EngineThread.start({ architecture, seed, threads });
      engines.push(engine);
      return enginePolicy({ name: 'nano', engine, architecture, reader, thinks: false });
    };
    const policies = { pixels: await policyOf(architectures.pixels), reads: await policyOf(architectures.reads) };
    const bench: DecisionBench = { reader: lineReader.name, threads, pages: [], rows: [] };
    for (const [index, [suite, families]] of Object.entries(suites).entries()) {
      options.onProgress?.(index / 2, suite);
      const pairs = await collectScreenPairs(families.slice(0, options.pages), seed);
      const measured = await measure(pairs, policies, reader, { ms: 500 * options.seconds, rounds, signal });
      if (!measured) return undefined;
      const { width, height } = pairs[0]!.first.screenshots[0]!.size;
      const screen = `${width}x${height}`;
      bench.pages.push(...pairs.map(({ family, changed }) => ({ screen, family, changed })));
      bench.rows.push(...policyKinds.map((policy) => rowOf({ screen, suite, policy }, measured[policy])));
    }
    return bench;
  } finally {
    await Promise.all([...engines.map((engine) => engine.close()), lineReader.close()]);
  }
}

const architectures = { pixels: nativeArchitectures.scratch.nano, reads: nativeArchitectures.nano };

/** Measures its reading, and forgets lines on demand. */
class ForgetfulReader implements ScreenReader {
  /** Time of the last reading. */
  ms = 0;
  readonly #models: LineReader;
  #reader: LineReader;

  constructor(models: LineReader) {
    this.#models = models;
    this.#reader = models;
  }

  forget(): void {
    this.#reader = new LineReader({ ...this.#models.parts, cache: new LineCache() });
  }

  async read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading> {
    const start = performance.now();
    const reading = await this.#reader.read(screen, previous);
    this.ms = performance.now() - start;
    return reading;
  }
}

interface Policies {
  readonly pixels: Policy;
  readonly reads: Policy;
}

interface Measurement {
  readonly ms: number;
  readonly readingMs: number;
  readonly sceneMs: number;
  readonly ratio: number;
}

async function measure(
  pairs: readonly ScreenPair[],
  policies: Policies,
  reader: ForgetfulReader,
  { ms, rounds, signal }: { ms: number; rounds: number; signal: AbortSignal },
): Promise<Record<PolicyKind, Measurement[]> | undefined> {
  const measured: Record<PolicyKind, Measurement[]> = { pixels: [], simulated: [], read: [], readChanges: [] };
  const contests: PairContest[] = [];
  for (const pair of pairs) {
    if (signal.aborted) return undefined;
    contests.push(await PairContest.open(pair, policies, reader));
  }
  const end = performance.now() + ms;
  for (let turn = 0; turn < rounds * pairs.length || performance.now() < end; turn++) {
    if (signal.aborted) return undefined;
    for (const [kind, measurement] of await contests[turn % pairs.length]!.round()) measured[kind].push(measurement);
  }
  return measured;
}

/** A state, and the seeds with which each policy's action has one point. */
interface SeededState {
  readonly state: DecisionState;
  readonly seeds: { readonly pixels: number; readonly simulated: number; readonly read: number };
}

/** Tokens of an action with one point: function, cell and place within the cell; or function and target. */
const actionLengths = { pixels: 3, reads: 2 } as const;

/** Lets the policies decide in both states of a pair. */
class PairContest {
  readonly #policies: Policies;
  readonly #reader: ForgetfulReader;
  readonly #first: SeededState;
  readonly #following: SeededState;
  #rounds = 0;

  private constructor(policies: Policies, reader: ForgetfulReader, [first, following]: [SeededState, SeededState]) {
    this.#policies = policies;
    this.#reader = reader;
    this.#first = first;
    this.#following = following;
  }

  /** Compiles every shape. */
  static async open(pair: ScreenPair, policies: Policies, reader: ForgetfulReader): Promise<PairContest> {
    reader.forget();
    const episodeId = nextName();
    const seeded = async (state: DecisionState): Promise<SeededState> => {
      const { reading } = await decide(policies.reads, unseen(state, { episodeId, reading: undefined }), 0);
      const seeds = {
        pixels: await seedOf(policies.pixels, state, actionLengths.pixels),
        simulated: await seedOf(policies.reads, state, actionLengths.reads),
        read: await seedOf(policies.reads, unseen(state, { reading }), actionLengths.reads),
      };
      return { state, seeds };
    };
    return new PairContest(policies, reader, [await seeded(pair.first), await seeded(pair.following)]);
  }

  async round(): Promise<[PolicyKind, Measurement][]> {
    this.#reader.forget();
    this.#rounds++;
    const episodeId = nextName();
    return [
      ...(await this.#contest(this.#first, 'read', episodeId)),
      ...(await this.#contest(this.#following, 'readChanges', episodeId)),
    ];
  }

  /** @param episodeId by which the policy remembers what it read */
  async #contest(
    { state, seeds }: SeededState,
    kind: 'read' | 'readChanges',
    episodeId: string,
  ): Promise<[PolicyKind, Measurement][]> {
    const { pixels, reads } = this.#policies;
    const decideByPixels = () => timed(pixels, unseen(state), seeds.pixels);
    // Whichever decides first does so right after a reading: they take turns.
    const earlier = this.#rounds % 2 === 0 ? await decideByPixels() : undefined;
    const simulated = await timed(reads, unseen(state), seeds.simulated);
    const reference = earlier ?? (await decideByPixels());
    const read = await timed(reads, unseen(state, { episodeId, reading: undefined }), seeds.read);
    const { ms } = reference;
    const readingMs = this.#reader.ms;
    const scenes = { simulated: await sceneMs(state, simulated.reading), read: await sceneMs(state, read.reading) };
    return [
      ['pixels', { ms, readingMs: 0, sceneMs: 0, ratio: 1 }],
      ['simulated', { ms: simulated.ms, readingMs: 0, sceneMs: scenes.simulated, ratio: simulated.ms / ms }],
      [kind, { ms: read.ms, readingMs, sceneMs: scenes.read, ratio: read.ms / ms }],
    ];
  }
}

let names = 0;
const nextName = (): string => `bench ${names++}`;

/** Returns the state with a screenshot that no cache knows. */
function unseen(
  state: DecisionState,
  changes: { readonly episodeId?: string; readonly reading?: Reading | undefined } = {},
): DecisionState {
  const { episodeId = state.episodeId } = changes;
  const screenshots = state.screenshots.map((frame) => {
    const { reading } = 'reading' in changes ? changes : frame;
    return { ...frame, hash: nextName(), reading };
  });
  return { ...state, screenshots, episodeId };
}

function decide(policy: Policy, state: DecisionState, seed: number): Promise<Decision> {
  return policy.decide({ ...state, random: () => seed / 2 ** 32 });
}

async function timed(
  policy: Policy,
  state: DecisionState,
  seed: number,
): Promise<{ ms: number; reading: Reading | undefined }> {
  const start = performance.now();
  const { reading } = await decide(policy, state, seed);
  return { ms: performance.now() - start, reading };
}

/** Returns the time in which a screen that no cache knows is cut into tokens. */
async function sceneMs(state: DecisionState, reading: Reading | undefined): Promise<number> {
  const { task, start, turns } = state;
  const frame = state.screenshots.at(-1)!;
  const screenshot = { ...frame, pixels: Uint8Array.from(await pixels(frame)), lines: reading?.lines };
  const began = performance.now();
  sceneOf(screenshot, sceneContext(task, start, turns), turns.length);
  return performance.now() - began;
}

/** Decisions tried per state. One in four functions has one point. */
const maxSeeds = 200;

async function seedOf(policy: Policy, state: DecisionState, length: number): Promise<number> {
  for (let seed = 0, tried = 0; tried < maxSeeds; seed++) {
    const random = new Random(seed);
    random.next();
    // Targets come last in the order of drawing: the second number has to be high to draw one.
    if (random.next() < 0.999) continue;
    tried++;
    const { actions, sample } = await decide(policy, state, seed);
    if (sample?.tokens.length === length && actions.some((action) => 'point' in action)) return seed;
  }
  throw new GyreError('bug', `${maxSeeds} actions of ${policy.name} include none of ${length} tokens with a point`, {
    fix: 'use another seed',
  });
}

function rowOf(
  names: Pick<DecisionRow, 'screen' | 'suite' | 'policy'>,
  measurements: readonly Measurement[],
): DecisionRow {
  const median = (part: keyof Measurement) =>
    quantile(
      measurements.map((measurement) => measurement[part]),
      0.5,
    );
  return {
    ...names,
    decisions: measurements.length,
    ms: median('ms'),
    p90: quantile(
      measurements.map(({ ms }) => ms),
      0.9,
    ),
    readingMs: median('readingMs'),
    sceneMs: median('sceneMs'),
    ratio: median('ratio'),
  };
}
