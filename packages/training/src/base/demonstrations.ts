import { oraclePolicy } from '@gyre/agent';
import { independentVerdict, isCopied, type Size } from '@gyre/protocol';
import { type AnyFamily, familiesOf, suites } from '@gyre/tasks';
import type { Workspace } from '../flywheel/workspace.js';
import { PackedEpisode } from './packedEpisode.js';
import type { BaseRecipe } from './recipe.js';

/** A turn whose right action is known: the oracle's own, or what it advised in a state that a policy reached. */
export interface Demonstration {
  readonly episode: PackedEpisode;
  readonly turn: number;
  readonly advised: boolean;
}

/** Turns by family, of one entry of the recipe. */
export type DemonstratedFamilies = readonly (readonly Demonstration[])[];

interface Progress {
  readonly signal?: AbortSignal | undefined;
  readonly onEpisode?: ((played: number, of: number) => void) | undefined;
}

interface SourceFamily {
  readonly name: string;
  readonly screen: Size;
  readonly key: string;
}

interface Source {
  readonly families: readonly SourceFamily[];
  /** Oracle episodes per family. */
  readonly each: number;
  /** Episodes per family and round of practice. */
  readonly practice: number;
}

/** First seed of practice, far from those of demonstrations. */
const practiceSeed = 1_000_000;
/** First seed of the episodes by which progress is measured. */
const heldOutSeed = 2_000_000;
/** Nearly greedy: the states are those of an evaluation, but not always the same. */
const practiceTemperature = 0.5;
/** Turns of an episode of practice on a screen that did not change, from which nothing new is learnt. */
const repeats = 1;

/** Plays the oracle's episodes that are missing, and returns all turns by entry of the recipe. */
export async function collectDemonstrations(
  workspace: Workspace,
  recipe: Pick<BaseRecipe, 'demonstrations' | 'without'>,
  progress: Progress = {},
): Promise<DemonstratedFamilies[]> {
  const sources = sourcesOf(recipe);
  const series = sources.flatMap(({ families, each }) =>
    families.map((family) => ({ ...family, first: 0, count: each })),
  );
  const episodes = await demonstrated(workspace, series, progress);
  return sources.map(({ families, each }) =>
    families.flatMap(({ key }) => nonEmpty((episodes.get(key) ?? []).slice(0, each).flatMap(demonstrationsIn))),
  );
}

/** Plays the oracle's episodes that are missing, and returns turns of the recipe's families that are not trained on. */
export async function collectHeldOut(
  workspace: Workspace,
  recipe: Pick<BaseRecipe, 'demonstrations' | 'without' | 'heldOut'>,
  progress: Progress = {},
): Promise<Demonstration[]> {
  const families = sourcesOf(recipe).flatMap((source) => source.families);
  const series = families.map((family) => ({ ...family, first: heldOutSeed, count: recipe.heldOut }));
  const episodes = await demonstrated(workspace, series, progress);
  return families.flatMap(({ key }) => (episodes.get(key) ?? []).slice(0, recipe.heldOut).flatMap(demonstrationsIn));
}

/** Plays the episodes that are missing, and returns all from the same first seeds by family and screen. */
async function demonstrated(
  workspace: Workspace,
  families: readonly (SourceFamily & { readonly first: number; readonly count: number })[],
  { signal, onEpisode }: Progress,
): Promise<ReadonlyMap<string, PackedEpisode[]>> {
  const first = families[0]?.first ?? 0;
  const isNear = (seed: number): boolean => seed >= first && seed - first < practiceSeed;
  const stored = await storedEpisodes(workspace, 'demonstration', isNear);
  const jobs = families.flatMap(({ name, screen, key, count }) => {
    const have = stored.get(key)?.length ?? 0;
    return [...workspace.jobs(name, 'train', first + have, Math.max(0, count - have), 'demonstration', { screen })];
  });
  if (jobs.length === 0) return stored;
  let played = 0;
  await workspace.play(oraclePolicy, jobs, { signal, onEpisode: () => onEpisode?.(++played, jobs.length) });
  await workspace.lake.flush();
  return storedEpisodes(workspace, 'demonstration', isNear);
}

/**
 * Lets the policy act in rounds that are missing, while the oracle says in each state what was right (DAgger, Ross et
 * al. 2011). Returns the advised turns of all rounds so far by entry of the recipe.
 */
export async function collectPractice(
  workspace: Workspace,
  recipe: Pick<BaseRecipe, 'demonstrations' | 'without'>,
  rounds: number,
  { signal, onEpisode }: Progress = {},
): Promise<DemonstratedFamilies[]> {
  const sources = sourcesOf(recipe);
  const seeds = (practice: number): number[] => Array.from({ length: rounds * practice }, (_, i) => practiceSeed + i);
  const stored = await storedEpisodes(workspace, 'advised');
  const jobs = sources.flatMap(({ families, practice }) =>
    families.flatMap(({ name, screen, key }) => {
      const have = new Set(stored.get(key)?.map(({ seed }) => seed));
      const missing = seeds(practice).filter((seed) => !have.has(seed));
      return missing.flatMap((seed) => [...workspace.jobs(name, 'train', seed, 1, 'advised', { screen })]);
    }),
  );
  let played = 0;
  const report = () => onEpisode?.(++played, jobs.length);
  const policy = workspace.policy({ temperature: practiceTemperature });
  await workspace.play(policy, jobs, { signal, advise: true, onEpisode: report });
  await workspace.lake.flush();
  const whole = await storedEpisodes(workspace, 'advised');
  return sources.map(({ families, practice }) => {
    const round = new Set(seeds(practice));
    return families.flatMap(({ key }) => {
      const episodes = whole.get(key)?.filter(({ seed }) => round.has(seed)) ?? [];
      return nonEmpty(episodes.flatMap(adviceIn));
    });
  });
}

const nonEmpty = <T>(turns: readonly T[]): (readonly T[])[] => (turns.length > 0 ? [turns] : []);

function sourcesOf({ demonstrations, without }: Pick<BaseRecipe, 'demonstrations' | 'without'>): Source[] {
  const excluded = new Set(without.flatMap(namedFamilies).map(({ name }) => name));
  return demonstrations.map(({ families, screen, each, practice }) => ({
    each,
    practice,
    families: families
      .flatMap(namedFamilies)
      .filter(({ name, unscripted }) => !unscripted && !excluded.has(name))
      .map((family) => {
        const { task } = family.create('train', 0, screen);
        return { name: family.name, screen: task.screen, key: keyOf(family.name, task.screen) };
      }),
  }));
}

/** Returns the families of a suite, a name or a pattern. */
function namedFamilies(name: string): AnyFamily[] {
  const suite = Object.entries(suites()).find(([key]) => key === name)?.[1];
  return suite ? Object.values(suite) : familiesOf(name);
}

const keyOf = (family: string, { width, height }: Size): string => `${family} ${width}x${height}`;

/** Keys episodes by family and screen. */
async function storedEpisodes(
  { lake }: Workspace,
  purpose: string,
  isKept: (seed: number) => boolean = () => true,
): Promise<Map<string, PackedEpisode[]>> {
  const episodes = new Map<string, PackedEpisode[]>();
  for await (const episode of lake.episodes({ purpose, split: 'train' })) {
    if (!isKept(episode.task.seed)) continue;
    const key = keyOf(episode.task.family, episode.task.screen);
    const list = episodes.get(key) ?? [];
    episodes.set(key, list);
    list.push(new PackedEpisode(episode));
  }
  for (const list of episodes.values()) list.sort((a, b) => a.seed - b.seed);
  return episodes;
}

function demonstrationsIn(packed: PackedEpisode): Demonstration[] {
  const episode = packed.unpack();
  if (!independentVerdict(episode)?.success) return [];
  return episode.turns.flatMap((turn, index) =>
    turn.reading && turn.actions.length === 1 && !isCopied(episode, turn)
      ? [{ episode: packed, turn: index, advised: false }]
      : [],
  );
}

function adviceIn(packed: PackedEpisode): Demonstration[] {
  const episode = packed.unpack();
  const seen = new Map<string, number>();
  return episode.turns.flatMap(({ reading, advice }, index) => {
    if (!reading || advice?.actions.length !== 1) return [];
    const { screenshot } = episode.turns[index - 1]?.observation ?? episode.observation;
    const times = seen.get(screenshot) ?? 0;
    seen.set(screenshot, times + 1);
    return times > repeats ? [] : [{ episode: packed, turn: index, advised: true }];
  });
}
