import { GyreError } from '@gyre/protocol';
import { AdamW } from '../optim/adamw.js';
import { Muon } from '../optim/muon.js';
import type { Optimiser } from '../optim/optimiser.js';
import type { ParameterStore } from '../runtime/parameters.js';
import type { ComputationOptions } from './computation.js';

/** Creates the policy's optimiser. Throws 'bad_input' for an unknown one. */
export function optimiserOf(
  parameters: ParameterStore,
  { optimiser = 'adamw', threads = 1 }: Pick<ComputationOptions, 'optimiser' | 'threads'>,
): Optimiser {
  const options = { beta2: 0.98, weightDecay: 0.02, clipNorm: 1 };
  switch (optimiser) {
    case 'adamw':
      return new AdamW(parameters, options);
    case 'muon':
      return new Muon(parameters, { ...options, threads });
    default:
      throw new GyreError('bad_input', `unknown optimiser ${optimiser as string}`, {
        field: 'optimiser',
        fix: 'use adamw or muon',
      });
  }
}
