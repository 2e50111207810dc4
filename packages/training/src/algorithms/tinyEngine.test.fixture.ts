import { type Architecture, NativeEngine } from '@gyre/engine';
import { afterAll } from 'vitest';

/** The smallest policy with all parts. */
export const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};

const engines: NativeEngine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

export function engineOf(otherwise: Partial<Architecture> = {}): NativeEngine {
  const engine = new NativeEngine({ architecture: { ...tiny, ...otherwise }, seed: 5, threads: 1 });
  engines.push(engine);
  return engine;
}
