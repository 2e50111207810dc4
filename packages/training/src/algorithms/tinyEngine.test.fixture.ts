import { type Architecture, EmbeddedEngine } from '@gyre/engine';
import { afterAll } from 'vitest';

/** The smallest policy that still has all of its parts. */
export const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};

const engines: EmbeddedEngine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

/** A tiny engine, always of the same weights, that the test closes at its end. */
export function engineOf(otherwise: Partial<Architecture> = {}): EmbeddedEngine {
  const made = new EmbeddedEngine({ architecture: { ...tiny, ...otherwise }, seed: 5, threads: 1 });
  engines.push(made);
  return made;
}
