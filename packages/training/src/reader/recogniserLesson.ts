import { type Feed, Random, ops } from '@gyre/engine';
import {
  type RecogniserShape,
  characterLogits,
  recogniserMetadata,
  recogniserParameters,
  slotWidth,
  slotsOf,
  stripHeight,
} from '@gyre/reader';
import { type BatchShape, lineBatch } from './lineBatch.js';
import { type LinePage, cutLine } from './linePage.js';
import { binaryCrossEntropy, weightedCrossEntropy } from './losses.js';
import type { Lesson } from './networkTrainer.js';

export interface RecogniserLessonOptions {
  readonly shape: RecogniserShape;
  readonly batch: BatchShape;
  readonly characters: readonly string[];
  readonly seed: number;
  /** The page of each turn, whose lines are cut anew. Deterministic in the turn. */
  readonly page: (turn: number) => Promise<LinePage>;
}

/** A page's lines are shared out among this many steps, so that it is decoded once. */
const stepsPerPage = 10;

/** Weight of finding characters relative to classifying them. */
const centreWeight = 8;

export function recogniserLesson(options: RecogniserLessonOptions): Lesson {
  const { shape, batch, characters, seed } = options;
  const classes = new Map(characters.map((char, index) => [char, index]));
  const parameters = recogniserParameters(shape, characters.length);
  const recent = new Map<number, Promise<LinePage>>();
  const pageOf = (turn: number): Promise<LinePage> => {
    const known = recent.get(turn) ?? options.page(turn);
    recent.set(turn, known);
    for (const old of recent.keys()) if (old < turn - 1) recent.delete(old);
    return known;
  };

  return {
    parameters,
    metadata: recogniserMetadata(shape, characters),
    losses: (graph) => {
      const slots = batch.stripWidth / slotWidth;
      const ink = graph.input('ink', [batch.strips, stripHeight, batch.stripWidth], 'uint8');
      const { centres, features } = slotsOf(graph, shape, ink);
      const places = graph.input('places', [batch.places], 'int32');
      const logits = characterLogits(graph, features, places, characters.length);
      const truth = graph.input('characters', [batch.places], 'int32');
      const character = weightedCrossEntropy(logits, truth, graph.input('weights', [batch.places]));
      const centre = ops.mean(binaryCrossEntropy(centres, graph.input('targets', [batch.strips, slots])));
      return { loss: ops.add(character, ops.mul(centre, centreWeight)), character, centre };
    },
    feeds: async (step): Promise<Record<string, Feed>> => {
      const turn = Math.floor(step / stepsPerPage);
      const page = await pageOf(turn);
      // Prepares the next page while the network runs.
      if (step % stepsPerPage === 2) pageOf(turn + 1).catch(() => undefined);
      const order = new Random(seed).fork(`lines ${turn}`).shuffle([...page.lines.keys()]);
      const random = new Random(seed).fork(`step ${step}`);
      const lines = order
        .filter((index, i) => i % stepsPerPage === step % stepsPerPage && page.lines[index]!.clipped !== true)
        .map((index) => cutLine(page, page.lines[index]!, random));
      return lineBatch(lines, { shape: batch, classes, random });
    },
  };
}
