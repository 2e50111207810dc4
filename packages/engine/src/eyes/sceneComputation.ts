import { GyreError } from '@gyre/protocol';
import { CompiledGraphs } from '../nano/compiled.js';
import type { ComputationOptions, NativeComputation } from '../nano/computation.js';
import { ParameterStore } from '../runtime/parameters.js';
import type { SceneArchitecture } from './architecture.js';
import { SceneLearner } from './sceneLearner.js';
import { SceneModel } from './sceneModel.js';
import { SceneSampler } from './sceneSampler.js';

/** Computes a policy or critic with a reader. */
export function sceneComputation(
  architecture: SceneArchitecture,
  { seed, threads = 1, backend = 'cpu', frozen }: ComputationOptions,
): NativeComputation {
  if (backend !== 'cpu' || frozen) {
    throw new GyreError('bad_input', 'a policy with a reader runs on the CPU, and not with frozen weights', {
      field: frozen ? 'frozen' : 'backend',
      fix: 'leave it out',
    });
  }
  const model = new SceneModel(architecture);
  const parameters = new ParameterStore([...model.parameters], seed);
  const graphs = new CompiledGraphs(threads);
  const parts = { model, parameters, graphs };
  const sampler = new SceneSampler(parts);
  const learner = new SceneLearner(parts);
  return {
    architecture,
    parameters,
    gradient: learner.gradient,
    sample: (requests, version) => sampler.sample(requests, version),
    run: (data, options) => learner.run(data, options),
    reading: () => Promise.reject(withoutReading()),
    readGlyphs: () => Promise.reject(withoutReading()),
    changed: () => undefined,
    close: () => graphs.close(),
  };

  function withoutReading(): GyreError {
    return new GyreError('bad_input', 'a policy with a reader has no reading loss', {
      field: 'loss',
      fix: 'use cross_entropy, ppo or ppo_critic',
    });
  }
}
