import { join } from 'node:path';
import type { Size } from '@gyre/protocol';
import { OwnDetector, OwnRecogniser, loadDetector, loadRecogniser, readerCharacters } from '@gyre/reader';
import type { BrowserPool } from '@gyre/sandbox';
import { lineSheet, lineSheetVersion, taskSheet, taskSheetVersion } from '@gyre/tasks';
import { PerceptionCache } from '../ct/perceptionCache.js';
import { RenderedSheets } from '../ct/renderedSheets.js';
import { type LabelledScreen, detectorLesson } from './detectorLesson.js';
import { evaluateDetector } from './evaluateDetector.js';
import { evaluateLines } from './evaluateLines.js';
import { labelledScreen, labelledScreens } from './labelledScreens.js';
import { LineSheetStore } from './lineSheetStore.js';
import type { ReaderRecipe } from './recipe.js';
import { type ReaderStep, trainReaderPart } from './readerStage.js';
import { recogniserLesson } from './recogniserLesson.js';

export interface TrainReaderOptions {
  /** Holds the checkpoints, the weights, the log and the rendered pages. */
  readonly folder: string;
  /** Weights to start from, as exported. Default: random ones. */
  readonly from?: string | undefined;
  readonly recipe: ReaderRecipe;
  readonly pool: BrowserPool;
  readonly threads: number;
  readonly saveEvery: number;
  readonly onStep?: (step: ReaderStep) => void;
  readonly signal?: AbortSignal | undefined;
}

const heldOutPages = 2;
const heldOutSizes: readonly Size[] = [
  { width: 160, height: 160 },
  { width: 640, height: 480 },
];

/** Trains the recogniser; continues from its checkpoint. Returns the steps done. */
export async function trainRecogniser(options: TrainReaderOptions): Promise<number> {
  const { seed } = options.recipe;
  const { shape, batch, pages, taskPages, ...schedule } = options.recipe.recogniser;
  const characters = readerCharacters();
  const [lines, tasks] = [linePages(options, 'train'), tasksPages(options)];
  const testPages = linePages(options, 'test');
  const heldOut = await Promise.all(Array.from({ length: heldOutPages }, (_, index) => testPages.page(index)));
  const page = (turn: number) => {
    const index = Math.floor(turn / 2);
    return turn % 2 === 0 ? lines.page(index % pages) : tasks.page(index % taskPages);
  };
  return trainReaderPart({
    ...options,
    part: 'recogniser',
    lesson: recogniserLesson({ shape, batch, characters, seed, page }),
    seed,
    schedule,
    evaluate: async (weights) => {
      const recogniser = new OwnRecogniser(await loadRecogniser(weights));
      try {
        return { heldOut: await evaluateLines(recogniser, heldOut) };
      } finally {
        await recogniser.close();
      }
    },
  });
}

/** Trains the detector; continues from its checkpoint. Returns the steps done. */
export async function trainDetector(options: TrainReaderOptions): Promise<number> {
  const { folder, pool, recipe } = options;
  const { shape, batch, pages, taskPages, ...schedule } = recipe.detector;
  const { seed } = recipe;
  const cache = new PerceptionCache(join(folder, 'pages'));
  const [lines, tasks] = [linePages(options, 'train'), tasksPages(options)];
  const screens = labelledScreens({
    sheets: new RenderedSheets(pool, cache, seed),
    pages: (turn) => Promise.all([lines.page(turn % pages), tasks.page(turn % taskPages)]),
  });
  const heldOut: LabelledScreen[] = [];
  for (const size of heldOutSizes) {
    for await (const samples of cache.read(pool, { seed, size, split: 'test' }, 0, 1))
      heldOut.push(...samples.map((sample) => labelledScreen(sample)));
  }
  return trainReaderPart({
    ...options,
    part: 'detector',
    lesson: detectorLesson({ shape, batch, seed, screens }),
    seed,
    schedule,
    evaluate: async (weights) => {
      const detector = new OwnDetector(await loadDetector(weights));
      try {
        return { heldOut: await evaluateDetector(detector, heldOut) };
      } finally {
        await detector.close();
      }
    },
  });
}

function linePages({ folder, pool, recipe: { seed } }: TrainReaderOptions, split: 'train' | 'test'): LineSheetStore {
  return new LineSheetStore({
    folder: join(folder, 'pages'),
    name: `v${lineSheetVersion}-lines-${split}-${seed}`,
    render: (index) => lineSheet(pool, { seed, index, split, characters: readerCharacters() }),
  });
}

function tasksPages({ folder, pool, recipe: { seed } }: TrainReaderOptions): LineSheetStore {
  return new LineSheetStore({
    folder: join(folder, 'pages'),
    name: `v${taskSheetVersion}-tasks-train-${seed}`,
    render: (index) => taskSheet(pool, { seed, index, split: 'train' }),
  });
}
