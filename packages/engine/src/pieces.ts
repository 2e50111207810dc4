import { GyreError } from '@gyre/protocol';
import type { Picture, Piece } from './engine.js';

export interface PictureRun {
  /** Index of the first token. */
  readonly from: number;
  /** In tokens. */
  readonly length: number;
}

/** Returns the ids of an input, with `pictureToken` for each token of a picture. */
export function tokenIds(input: readonly Piece[], pictureToken: number): number[] {
  return input.flatMap((piece) =>
    'tokens' in piece ? piece.tokens : new Array<number>(piece.length).fill(pictureToken),
  );
}

/** Finds the runs of `pictureToken`, such as `<|image_pad|>`. */
export function pictureRuns(ids: readonly number[], pictureToken: number): PictureRun[] {
  const runs: { from: number; length: number }[] = [];
  for (const [index, id] of ids.entries()) {
    if (id !== pictureToken) continue;
    const last = runs.at(-1);
    if (last && last.from + last.length === index) last.length++;
    else runs.push({ from: index, length: 1 });
  }
  return runs;
}

/**
 * Puts pictures in the place of their runs of tokens. The inverse of `tokenIds`.
 *
 * @param pictures one for each run, in order
 * @throws GyreError `bad_input` for another number of pictures
 */
export function piecesOf(
  ids: readonly number[],
  { runs, pictures }: { runs: readonly PictureRun[]; pictures: readonly Picture[] },
): Piece[] {
  if (runs.length !== pictures.length) {
    throw new GyreError('bad_input', `the tokens have room for ${runs.length} pictures, not ${pictures.length}`, {
      field: 'pictures',
      fix: 'give a picture for each run of tokens that stands for one',
    });
  }
  const pieces: Piece[] = [];
  let end = 0;
  for (const [index, { from, length }] of runs.entries()) {
    if (from > end) pieces.push({ tokens: ids.slice(end, from) });
    pieces.push({ picture: pictures[index]!, length });
    end = from + length;
  }
  if (end < ids.length) pieces.push({ tokens: ids.slice(end) });
  return pieces;
}
