import { oraclePolicy } from '@gyre/agent';
import { type Episode, independentVerdict, isCopied, type Size } from '@gyre/protocol';
import { type AnyFamily, familiesOf, suites } from '@gyre/tasks';
import type { Workspace } from '../flywheel/workspace.js';
import type { BaseRecipe } from './recipe.js';

/** A turn of an oracle's episode. */
export interface Demonstration {
  readonly episode: Episode;
  readonly turn: number;
}

/** Turns by family, of one entry of the recipe. */
export type DemonstratedFamilies = readonly (readonly Demonstration[])[];

interface Progress {
  readonly signal?: AbortSignal | undefined;
  readonly onEpisode?: ((played: number, of: number) => void) | undefined;
}

/** Plays the oracle's episodes that are missing, and returns all turns by entry of the recipe. */
export async function collectDemonstrations(
  workspace: Workspace,
  { demonstrations, without }: Pick<BaseRecipe, 'demonstrations' | 'without'>,
  { signal, onEpisode }: Progress = {},
): Promise<DemonstratedFamilies[]> {
  const sources = demonstrations.map(({ families, screen, each }) => ({
    ...{ screen, each },
    families: families.flatMap(namedFamilies).filter(({ name, unscripted }) => !unscripted && !without.includes(name)),
  }));
  const stored = await storedDemonstrations(workspace);
  const jobs = sources.flatMap(({ families, screen, each }) =>
    families.flatMap(({ name }) => {
      const have = stored.get(keyOf(name, screen))?.length ?? 0;
      return [...workspace.jobs(name, 'train', have, Math.max(0, each - have), 'demonstration', { screen })];
    }),
  );
  let played = 0;
  const report = () => onEpisode?.(++played, jobs.length);
  await workspace.play(oraclePolicy, jobs, { signal, onEpisode: report });
  await workspace.lake.flush();
  const whole = await storedDemonstrations(workspace);
  return sources.map(({ families, screen }) =>
    families.flatMap(({ name }) => {
      const turns = (whole.get(keyOf(name, screen)) ?? []).flatMap(demonstrationsIn);
      return turns.length > 0 ? [turns] : [];
    }),
  );
}

/** Returns the families of a suite, a name or a pattern. */
function namedFamilies(name: string): AnyFamily[] {
  const suite = Object.entries(suites()).find(([key]) => key === name)?.[1];
  return suite ? Object.values(suite) : familiesOf(name);
}

const keyOf = (family: string, screen: Size | undefined): string =>
  screen ? `${family} ${screen.width}x${screen.height}` : family;

/** Keys every episode with and without its screen. */
async function storedDemonstrations({ lake }: Workspace): Promise<Map<string, Episode[]>> {
  const episodes = new Map<string, Episode[]>();
  for await (const episode of lake.episodes({ purpose: 'demonstration', split: 'train' })) {
    const { family, screen } = episode.task;
    for (const key of [keyOf(family, undefined), keyOf(family, screen)]) {
      const list = episodes.get(key) ?? [];
      episodes.set(key, list);
      list.push(episode);
    }
  }
  for (const list of episodes.values()) list.sort((a, b) => a.task.seed - b.task.seed);
  return episodes;
}

function demonstrationsIn(episode: Episode): Demonstration[] {
  if (!independentVerdict(episode)?.success) return [];
  return episode.turns.flatMap((turn, index) =>
    turn.reading && turn.actions.length === 1 && !isCopied(episode, turn) ? [{ episode, turn: index }] : [],
  );
}
