import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '@gyre/lake';
import { type AnnouncedWeights, GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';

/** Files in the store, which take turns: a worker that is slow to fetch one version finds it for three more. */
const slots = 4;

/** Announces versions of the weights, such as `RolloutQueue`. */
export interface WeightsBoard {
  announce(weights: AnnouncedWeights): Promise<void>;
  announced(): Promise<AnnouncedWeights | undefined>;
}

/** Stores a file of weights beside the episodes, then announces it. Returns its version. */
export async function announceWeights(board: WeightsBoard, store: ObjectStore, path: string): Promise<number> {
  const bytes = await readFile(path);
  const version = ((await board.announced())?.version ?? 0) + 1;
  const key = `weights/${version % slots}.safetensors`;
  await store.put(key, bytes);
  await board.announce({ version, key, bytes: bytes.length, sha256: sha256(bytes) });
  return version;
}

/**
 * Writes the newest announced weights, of at least a version, to a file. Throws `infra` if there are none, or if the
 * trainer replaced them while they were read: try again.
 */
export async function fetchWeights(
  board: WeightsBoard,
  store: ObjectStore,
  { folder, atLeast }: { readonly folder: string; readonly atLeast: number },
): Promise<{ version: number; path: string }> {
  const weights = await board.announced();
  if (!weights || weights.version < atLeast) {
    throw unfit(`weights ${weights?.version ?? 'none'} are announced, the job needs ${atLeast}`);
  }
  const bytes = await store.get(weights.key).catch((cause: unknown) => {
    throw unfit(`cannot read ${weights.key} from the store`, cause);
  });
  if (sha256(bytes) !== weights.sha256) throw unfit(`${weights.key} is not version ${weights.version}`);
  const path = join(folder, 'fetched.safetensors');
  await writeFileAtomic(path, Buffer.from(bytes));
  return { version: weights.version, path };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function unfit(message: string, cause?: unknown): GyreError {
  const fix = 'give trainer and workers the same --store and --fleet';
  return new GyreError('infra', message, { part: 'disk', field: '--store', fix, cause });
}
