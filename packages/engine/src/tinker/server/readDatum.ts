import { createHash } from 'node:crypto';
import type { Datum, Loss, Picture, Piece } from '../../engine.js';
import type { ForwardBackwardRequest, WireChunk, WireDatum } from '../wire.js';
import { HttpError } from './httpError.js';

/**
 * Reads a datum whose targets are its inputs shifted by one, the only kind that an engine takes.
 *
 * @throws HttpError 400 that names the field.
 */
export function readDatum({ chunks, inputs }: WireDatum, place: string): Datum {
  const refuse = (field: string, message: string): never => {
    throw new HttpError(400, `${place}.${field}: ${message}`, `${place}.${field}`);
  };
  const pieces = chunks.map((chunk, i) => readPiece(chunk, `${place}.model_input.chunks.${i}`));
  const tokens = pieces.flatMap((piece): readonly (number | undefined)[] =>
    'tokens' in piece ? piece.tokens : new Array<undefined>(piece.length).fill(undefined),
  );
  const list = (name: string): readonly number[] | undefined => {
    const values = inputs.get(name)?.values;
    if (values === undefined) return undefined;
    if (!values.every(Number.isFinite)) refuse(name, 'has a number that is not finite');
    const isFit = values.length === tokens.length;
    return isFit ? values : refuse(name, `has ${values.length} values, but the chunks have ${tokens.length} tokens`);
  };
  const targets = list('target_tokens') ?? refuse('target_tokens', 'is missing');
  const last = targets.at(-1) ?? refuse('model_input', 'has no tokens');
  const advantages = list('advantages');
  // A token without an advantage has no gradient in any loss of ratios.
  const weights = list('weights') ?? (advantages ?? targets).map((value) => (advantages && value === 0 ? 0 : 1));
  // The cookbook pads the targets of a prompt with 0.
  const strayed = tokens.findIndex(
    (token, i) => i > 0 && weights[i - 1] !== 0 && token !== undefined && token !== targets[i - 1],
  );
  if (strayed > 0) refuse('target_tokens', `number ${strayed - 1} is not the next token of the chunks`);
  return {
    input: [...pieces, { tokens: [last] }],
    weights,
    ...optional('logprobs', list('logprobs')),
    ...optional('advantages', advantages),
  };
}

function optional(name: 'logprobs' | 'advantages', values: readonly number[] | undefined): Partial<Datum> {
  return values === undefined ? {} : { [name]: values };
}

/** @throws HttpError 400 for a picture that is no PNG or has no number of tokens. */
export function readPiece(chunk: WireChunk, place: string): Piece {
  if ('tokens' in chunk) return chunk;
  const { image, format, expectedTokens } = chunk;
  if (expectedTokens === undefined || expectedTokens <= 0) {
    const message = `${place}.expected_tokens: say how many tokens the picture takes`;
    throw new HttpError(400, message, `${place}.expected_tokens`);
  }
  const picture = format === 'png' ? readPng(image) : undefined;
  if (picture) return { picture, length: expectedTokens };
  throw new HttpError(400, `${place}: the picture is no PNG`, `${place}.${format === 'png' ? 'data' : 'format'}`);
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const largestSide = 16_384;

/** Reads the size; the engine decodes the pixels. */
function readPng(image: Uint8Array): Picture | undefined {
  const png = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  if (png.length < 24 || !png.subarray(0, 8).equals(signature)) return undefined;
  const size = { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
  const isPossible = Object.values(size).every((side) => side > 0 && side <= largestSide);
  return isPossible ? { hash: createHash('sha256').update(png).digest('hex'), png, size } : undefined;
}

/** @throws HttpError 400 for a loss that the engine does not have, or a key that the loss does not take. */
export function readLoss({ loss, lossConfig }: ForwardBackwardRequest, losses: readonly Loss['name'][]): Loss {
  const name = losses.find((each) => each === loss);
  if (name === undefined) {
    throw new HttpError(400, `loss_fn: ${JSON.stringify(loss)} is none of ${losses.join(', ')}`, 'loss_fn');
  }
  const isClipped = name === 'ppo' || name === 'cispo';
  const taken = isClipped ? ['clip_low_threshold', 'clip_high_threshold'] : [];
  for (const key of lossConfig.keys()) {
    if (taken.includes(key)) continue;
    throw new HttpError(422, `loss_fn_config: ${name} does not take ${JSON.stringify(key)}`, 'loss_fn_config');
  }
  if (!isClipped) return { name };
  const [low, high] = [lossConfig.get('clip_low_threshold') ?? 0.8, lossConfig.get('clip_high_threshold') ?? 1.2];
  // Not NaN either.
  if (low >= 0 && low <= 1 && high >= 1) return { name, clipLow: 1 - low, clipHigh: high - 1 };
  throw new HttpError(422, 'loss_fn_config: thresholds are ratios, low up to 1 and high from 1', 'loss_fn_config');
}
