import { GyreError } from '@gyre/protocol';
import type { Datum, Loss, Piece } from '../engine.js';
import { tokenIds } from '../pieces.js';
import type { WireChunk, WireDatum, WireTensor } from './wire.js';

const lengthOf = (piece: Piece) => ('tokens' in piece ? piece.tokens.length : piece.length);

/**
 * Shifts a datum as the protocol expects: chunks are all tokens but the last, targets all but the first, and every list
 * is as long. A picture's targets are `pictureToken`, which no loss reads.
 *
 * @throws GyreError `bad_input` for lists of another length, missing lists, and an input that ends in a picture.
 */
export function tinkerDatum(
  datum: Datum,
  { loss, pictureToken }: { loss: Loss['name']; pictureToken: number },
): WireDatum {
  const { input, weights, logprobs, advantages } = datum;
  const chunks = chunksOf(input);
  const targets = tokenIds(input, pictureToken).slice(1);
  const inputs = new Map<string, WireTensor>([['target_tokens', { type: 'i64', values: targets }]]);
  const add = (name: string, values: readonly number[] | undefined) => {
    if (values?.length !== targets.length) {
      refuse(name, `${name} has ${values?.length ?? 'no'} values, not ${targets.length}`);
    }
    inputs.set(name, { type: 'f32', values });
  };
  add('weights', weights);
  if (loss !== 'cross_entropy') {
    add('logprobs', logprobs);
    add('advantages', advantages);
  }
  return { chunks, inputs };
}

function chunksOf(input: readonly Piece[]): WireChunk[] {
  const pieces = input.filter((piece) => lengthOf(piece) > 0);
  const last = pieces.pop();
  if (last === undefined || !('tokens' in last)) return refuse('input', 'the input does not end in a token');
  const chunks = pieces.map((piece): WireChunk => {
    if ('tokens' in piece) return piece;
    return { image: piece.picture.png, format: 'png', expectedTokens: piece.length };
  });
  if (last.tokens.length > 1) chunks.push({ tokens: last.tokens.slice(0, -1) });
  return chunks.length > 0 ? chunks : refuse('input', 'the input has one token: there is nothing to predict');
}

/** Gives clipping thresholds as ratios, which is how the protocol names them. */
export function lossConfig(loss: Loss): Map<string, number> {
  if (!('clipLow' in loss)) return new Map();
  return new Map([
    ['clip_low_threshold', 1 - loss.clipLow],
    ['clip_high_threshold', 1 + loss.clipHigh],
  ]);
}

function refuse(field: string, message: string): never {
  throw new GyreError('bad_input', message, { field, fix: 'give one number for every input token but the first' });
}
