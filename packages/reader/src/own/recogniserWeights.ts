import { ParameterStore, loadCheckpoint } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { RecogniserShape, recogniserParameters } from './recogniserNetwork.js';

/** Weights of a recogniser, and the characters that its classes stand for. */
export interface RecogniserWeights {
  /** Steps of training, as stored with readings. */
  readonly version: string;
  readonly shape: RecogniserShape;
  readonly characters: readonly string[];
  readonly parameters: ParameterStore;
}

/** Returns the metadata that `loadRecogniser` reads. */
export function recogniserMetadata(shape: RecogniserShape, characters: readonly string[]): Record<string, string> {
  return { part: 'recogniser', shape: JSON.stringify(shape), characters: characters.join('') };
}

/** Throws `missing` without a file, `corrupt` if it holds no recogniser. */
export async function loadRecogniser(path: string): Promise<RecogniserWeights> {
  const { tensors, metadata } = await loadCheckpoint(path);
  if (metadata.part !== 'recogniser' || metadata.shape === undefined || metadata.characters === undefined) {
    throw new GyreError('corrupt', `${path} holds no recogniser of lines`, {
      field: path,
      fix: 'use a checkpoint that `gyre train reader` wrote',
    });
  }
  const shape = RecogniserShape.parse(JSON.parse(metadata.shape));
  const characters = [...metadata.characters];
  const parameters = new ParameterStore(recogniserParameters(shape, characters.length), 0);
  parameters.restore(tensors);
  return { version: metadata.steps ?? '0', shape, characters, parameters };
}
