import { appendFile } from 'node:fs/promises';
import { ScreenshotReader, trainableTurns, decision } from '../rollouts/dataset.js';
import { successfulDemonstrations } from '../flywheel/stages.js';
import type { Workspace } from '../flywheel/workspace.js';
import { type CtStep, type DrawDemonstration, trainCt } from './ct.js';
import { PageFeed, type SheetSource } from './pageFeed.js';
import type { CtRecipe } from './recipe.js';

export interface CtStage {
  workspace: Workspace;
  recipe: CtRecipe;
  sheets: SheetSource;
  from: number;
  checkpoint: string;
  saveEvery: number;
  /** JSON Lines, every `logEvery` steps, with means by kind of step. */
  log: string;
  logEvery: number;
  onDemonstrations?: (played: number, of: number) => void;
  onStep?: (step: CtStep) => void;
  signal?: AbortSignal | undefined;
}

/** Continues from the last checkpoint. Returns the steps done. */
export async function continueTraining(stage: CtStage): Promise<number> {
  const { workspace, recipe, signal } = stage;
  const demonstrations = await demonstrated(stage);
  const feeds = new Map<string, PageFeed>();
  const started = performance.now();
  let recent: CtStep[] = [];
  const done = await trainCt({
    engine: workspace.engine,
    recipe,
    from: stage.from,
    pages: (pages, first, count, kind) => {
      const feed = feeds.get(kind) ?? new PageFeed(stage.sheets);
      feeds.set(kind, feed);
      return feed.take(pages, first, count);
    },
    demonstrations,
    signal,
    onStep: async (step) => {
      stage.onStep?.(step);
      recent.push(step);
      if (step.step % stage.logEvery === 0) {
        await appendFile(stage.log, `${JSON.stringify(summary(recent, performance.now() - started))}\n`);
        recent = [];
      }
      if (step.step % stage.saveEvery === 0) await workspace.save(stage.checkpoint);
    },
  });
  await workspace.save(stage.checkpoint);
  return done;
}

/**
 * Returns the oracle's decisions by family, playing missing episodes. Screenshots, which would not fit into memory, are
 * read on use.
 */
async function demonstrated({
  workspace,
  recipe,
  onDemonstrations,
  signal,
}: CtStage): Promise<Map<string, DrawDemonstration[]>> {
  const there = new Map<string, number>();
  for await (const { task } of workspace.lake.episodes({ purpose: 'demonstration' })) {
    there.set(task.family, (there.get(task.family) ?? 0) + 1);
  }
  const jobs = recipe.families.flatMap((family) => {
    const have = there.get(family) ?? 0;
    const { each, of: byFamily } = recipe.demonstrations;
    return [...workspace.jobs(family, 'train', have, Math.max(0, (byFamily[family] ?? each) - have), 'demonstration')];
  });
  let played = 0;
  await workspace.play(workspace.oracle, jobs, {
    signal,
    onEpisode: () => onDemonstrations?.(++played, jobs.length),
  });
  await workspace.lake.flush();
  const out = new Map<string, DrawDemonstration[]>();
  const reader = new ScreenshotReader(workspace.lake);
  for (const episode of await successfulDemonstrations(workspace.lake)) {
    const { family } = episode.task;
    if (!recipe.families.includes(family)) continue;
    const list = out.get(family) ?? [];
    out.set(family, list);
    for (const turn of trainableTurns(episode, workspace.view)) {
      list.push(async (random) => {
        const thought = random.next() < recipe.thoughts;
        return (await decision(episode, turn, workspace.view, reader, { thought })).datum;
      });
    }
  }
  return out;
}

function summary(steps: readonly CtStep[], ms: number): Record<string, unknown> {
  const losses: Record<string, number> = {};
  const counts: Record<string, number> = {};
  for (const { kind, loss } of steps) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    losses[kind] = (losses[kind] ?? 0) + loss;
  }
  for (const kind of Object.keys(losses)) {
    losses[kind] = Number(((losses[kind] ?? 0) / (counts[kind] ?? 1)).toFixed(4));
  }
  const last = steps.at(-1);
  return { step: last?.step, learningRate: last?.learningRate, seconds: Math.round(ms / 1000), losses };
}
