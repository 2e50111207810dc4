import { GyreError } from '@gyre/protocol';
import type { SampleRequest } from '../engine.js';
import { unexpected } from './serverFault.js';
import { decodeSequences, type WireSequence } from './wireResults.js';

export interface TinkerSampleRequest extends SampleRequest {
  /** As `saveWeightsForSampler` returned it. */
  readonly modelPath: string;
}

/**
 * Builds the body of `asample`.
 *
 * @throws GyreError `bad_input` for a picture, unless the server keeps them.
 */
export function sampleRequest(
  { modelPath, input, maxTokens, stop, temperature, topP, seed }: TinkerSampleRequest,
  { samplesPictures }: { samplesPictures: boolean },
): object {
  const chunks = input.map((piece) => {
    if ('tokens' in piece) return { type: 'encoded_text', tokens: piece.tokens };
    if (!samplesPictures) throw lostPicture();
    const { png } = piece.picture;
    const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
    return { type: 'image', format: 'png', data, expected_tokens: piece.length };
  });
  return {
    ...{ model_path: modelPath, prompt: { chunks }, num_samples: 1 },
    sampling_params: { max_tokens: maxTokens, stop, temperature, top_p: topP, seed },
  };
}

function lostPicture(): GyreError {
  return new GyreError(
    'bad_input',
    'pictures are not sampled by asample: servers whose trainer and sampler do not share their GPUs drop them without an error',
    {
      field: 'input',
      fix: 'sample from the inference server behind it, or set samplesPictures if this server keeps pictures',
    },
  );
}

/** @throws GyreError `infra` unless the bytes are one sequence with a log-probability per token. */
export function sequencesOf(bytes: Uint8Array, url: string): WireSequence {
  const sequences = ((): WireSequence[] => {
    try {
      return decodeSequences(bytes);
    } catch (error) {
      throw unexpected(url, 'asample', (error as Error).message);
    }
  })();
  const [sequence] = sequences;
  if (sequence?.logprobs.length !== sequence?.tokens.length || sequence === undefined || sequences.length > 1) {
    throw unexpected(url, 'asample', 'it is not one sequence with a log-probability for each token');
  }
  return sequence;
}
