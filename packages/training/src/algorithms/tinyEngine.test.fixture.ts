import { type Architecture, EmbeddedEngine, type SceneArchitecture } from '@gyre/engine';
import { afterAll } from 'vitest';

export const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};

/** With a reader. */
export const tinyScene: SceneArchitecture = {
  width: 32,
  heads: 2,
  layers: 2,
  decoderLayers: 1,
  cellLayers: 1,
  stem: 16,
  role: 'policy',
};

const engines: EmbeddedEngine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

export function engineOf(otherwise: Partial<Architecture> = {}): EmbeddedEngine {
  const engine = new EmbeddedEngine({ architecture: { ...tiny, ...otherwise }, seed: 5, threads: 1 });
  engines.push(engine);
  return engine;
}
