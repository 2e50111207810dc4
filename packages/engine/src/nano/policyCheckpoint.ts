import { GyreError } from '@gyre/protocol';
import { type Checkpoint, loadCheckpoint } from '../checkpoint/checkpoint.js';
import { hasReader, type NativeArchitecture, parseArchitecture } from '../eyes/nativeArchitecture.js';
import { sceneVocabularyHash } from '../eyes/sceneTokens.js';
import { vocabularyHash } from './vocabulary.js';

export const format = 'gyre.native.3';

/** Prefix of the weights that training continues from, in a checkpoint whose own are their average. */
export const latest = 'latest.';

/** Tells whether only training needs a tensor. */
export function isTrainingState(name: string): boolean {
  return ['adam.', 'muon.', latest].some((prefix) => name.startsWith(prefix));
}

/** Returns the hash of the tokens that policies of an architecture speak. */
export const vocabularyHashOf = (architecture: NativeArchitecture): string =>
  hasReader(architecture) ? sceneVocabularyHash : vocabularyHash;

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
  if (metadata.vocabulary !== vocabularyHashOf(architecture)) {
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
