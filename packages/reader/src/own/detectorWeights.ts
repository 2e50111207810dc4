import { ParameterStore, loadCheckpoint } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { DetectorShape, detectorParameters } from './detectorNetwork.js';

export interface DetectorWeights {
  /** Steps of training, as stored with readings. */
  readonly version: string;
  readonly shape: DetectorShape;
  readonly parameters: ParameterStore;
}

/** Returns the metadata that `loadDetector` reads. */
export function detectorMetadata(shape: DetectorShape): Record<string, string> {
  return { part: 'detector', shape: JSON.stringify(shape) };
}

/** Throws `missing` without a file, `corrupt` if it holds no detector. */
export async function loadDetector(path: string): Promise<DetectorWeights> {
  const { tensors, metadata } = await loadCheckpoint(path);
  if (metadata.part !== 'detector' || metadata.shape === undefined) {
    throw new GyreError('corrupt', `${path} holds no detector of lines`, {
      field: path,
      fix: 'use a checkpoint that `gyre train reader` wrote',
    });
  }
  const shape = DetectorShape.parse(JSON.parse(metadata.shape));
  const parameters = new ParameterStore(detectorParameters(shape), 0);
  parameters.restore(tensors);
  return { version: metadata.steps ?? '0', shape, parameters };
}
