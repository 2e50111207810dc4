import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pixels } from '@gyre/agent';
import {
  type Architecture,
  EmbeddedEngine,
  loadPolicyCheckpoint,
  NativeTokenEngine,
  serveTinker,
  weightsFile,
} from '@gyre/engine';

const tiny: Architecture = {
  ...{ screenshots: 1, width: 16, heads: 2, imageLayers: 1, decoderLayers: 1, stem: 8 },
  role: 'policy',
};

/**
 * Serves a policy as the model `nano`.
 *
 * @param options.weights default: random ones of a tiny policy
 */
export async function servedModel({
  directory,
  seed = 1,
  weights,
}: {
  directory: string;
  seed?: number;
  weights?: 'pixels';
}): Promise<{ url: string; close: () => Promise<void> }> {
  const file = weights && weightsFile(weights);
  const architecture = file === undefined ? tiny : (await loadPolicyCheckpoint(file)).architecture;
  const native = new EmbeddedEngine({ architecture, seed, threads: 1 });
  if (file !== undefined) await native.load(file, { optimiser: false });
  const engine = new NativeTokenEngine({ engine: native, pixels });
  const checkpoint = (name: string) => join(directory, `${seed}-${name}.safetensors`);
  const discard = (name: string) => rm(name, { force: true });
  const server = await serveTinker({ engine, name: 'nano', checkpoint, discard });
  return { url: server.url, close: () => server.close().then(() => native.close()) };
}
