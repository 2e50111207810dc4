import { join } from 'node:path';
import { OwnRecogniser, loadRecogniser, readerCharacters } from '@gyre/reader';
import type { BrowserPool } from '@gyre/sandbox';
import { evaluateLines } from './evaluateLines.js';
import { LineSheetStore } from './lineSheetStore.js';
import type { ReaderRecipe } from './recipe.js';
import { type ReaderStep, trainReaderPart } from './readerStage.js';
import { recogniserLesson } from './recogniserLesson.js';

export interface TrainReaderOptions {
  readonly folder: string;
  readonly recipe: ReaderRecipe;
  readonly pool: BrowserPool;
  readonly threads: number;
  readonly saveEvery: number;
  readonly onStep?: (step: ReaderStep) => void;
  readonly signal?: AbortSignal | undefined;
}

const heldOutPages = 2;

/** Trains the recogniser; continues from its checkpoint. Returns the steps done. */
export async function trainRecogniser(options: TrainReaderOptions): Promise<number> {
  const { folder, recipe, pool } = options;
  const { shape, batch, pages, ...schedule } = recipe.recogniser;
  const { seed } = recipe;
  const characters = readerCharacters();
  const store = { folder: join(folder, 'pages'), pool, seed, characters };
  const trainPages = new LineSheetStore({ ...store, split: 'train' });
  const testPages = new LineSheetStore({ ...store, split: 'test' });
  const heldOut = await Promise.all(Array.from({ length: heldOutPages }, (_, index) => testPages.page(index)));
  const page = (index: number) => trainPages.page(index);
  return trainReaderPart({
    ...options,
    part: 'recogniser',
    lesson: recogniserLesson({ shape, batch, pages, characters, seed, page }),
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
