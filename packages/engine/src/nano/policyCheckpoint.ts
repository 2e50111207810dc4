import { GyreError } from '@gyre/protocol';
import { type Checkpoint, loadCheckpoint } from '../checkpoint/checkpoint.js';
import { type NativeArchitecture, parseArchitecture } from '../eyes/nativeArchitecture.js';
import { vocabularyHash } from './vocabulary.js';

export const format = 'gyre.native.3';

/** Tells whether a tensor belongs to an optimiser. */
export function isMoment(name: string): boolean {
  return name.startsWith('adam.') || name.startsWith('muon.');
}

export interface PolicyCheckpoint extends Checkpoint {
  readonly architecture: NativeArchitecture;
}

export async function loadPolicyCheckpoint(path: string): Promise<PolicyCheckpoint> {
  const checkpoint = await loadCheckpoint(path);
  return { ...checkpoint, architecture: architectureOf(path, checkpoint) };
}

function architectureOf(path: string, { metadata }: Checkpoint): NativeArchitecture {
  if (metadata.format !== format) {
    throw new GyreError(
      'bad_input',
      `${path} has ${metadata.format === undefined ? 'no format' : `format ${metadata.format}`}, not ${format}`,
      {
        field: 'checkpoint',
        fix: 'use a checkpoint that this version of `gyre train` wrote',
      },
    );
  }
  const architecture = readArchitecture(path, metadata);
  if (metadata.vocabulary !== vocabularyHash) {
    throw new GyreError('bad_input', `${path} was trained with a different vocabulary`, {
      field: 'checkpoint',
      fix: 'use the version of gyre that wrote it, or train a new checkpoint',
    });
  }
  return architecture;
}

function readArchitecture(path: string, metadata: Record<string, string>): NativeArchitecture {
  try {
    return parseArchitecture(JSON.parse(metadata.architecture ?? ''));
  } catch (cause) {
    throw new GyreError('corrupt', `${path} is not a checkpoint of a native policy`, {
      field: 'checkpoint',
      fix: 'use a checkpoint that `gyre train` wrote',
      cause,
    });
  }
}
