import { type Oracle, nativePolicy, oraclePolicy, type Policy, randomPolicy } from '@gyre/agent';
import { EngineThread, nano } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { oneOf, path, toggle } from './flag.js';

export const policyNames = ['nano', 'random', 'oracle'] as const;

/** The flag that says how weights that do not learn are kept. */
export const quantiseFlag = (what: string) =>
  oneOf(['none', 'w8a8', 'w4a8'], `${what} with weights of 8 or 4 bits, and activations of 8`, { default: 'none' });

/** The flags that say which weights the native policy has. */
export const weightsFlags = {
  checkpoint: path('weights of nano, a .safetensors file', { default: undefined }),
  quantise: quantiseFlag('nano'),
};

/** The flags that choose a policy. */
export const policyFlags = {
  policy: oneOf(policyNames, 'who acts: nano is the native model of a checkpoint', { default: 'nano' }),
  ...weightsFlags,
  greedy: toggle('nano takes the most likely action; by default it samples'),
};

/** A policy by its flags, and how many screenshots it looks at. Close it when it is not needed any more. */
export interface OpenPolicy {
  readonly policy: Policy | Oracle;
  readonly screenshots: number;
  close(): Promise<void>;
}

/**
 * @throws GyreError `bad_input` when nano has no checkpoint, and what loading the checkpoint throws.
 */
export async function openPolicy(flags: {
  policy: (typeof policyNames)[number];
  checkpoint: string | undefined;
  quantise: 'none' | 'w8a8' | 'w4a8';
  greedy: boolean;
}): Promise<OpenPolicy> {
  const close = () => Promise.resolve();
  if (flags.policy === 'oracle') return { policy: oraclePolicy, screenshots: 1, close };
  if (flags.policy === 'random')
    return { policy: randomPolicy({ functions: ['click', 'type', 'hotkey'] }), screenshots: 1, close };
  const engine = await openNative(flags);
  const name = flags.quantise === 'none' ? 'nano' : `nano ${flags.quantise}`;
  const policy = nativePolicy({ name, engine, temperature: flags.greedy ? 0 : 1 });
  // As many as it was trained with.
  return { policy, screenshots: 1, close: () => engine.close() };
}

/**
 * The native policy's engine with the weights of a checkpoint; quantised, it cannot learn. Close it when it is not needed any more.
 *
 * @throws GyreError `bad_input` where there is no checkpoint, and what loading it throws.
 */
export async function openNative({
  checkpoint,
  quantise = 'none',
}: {
  checkpoint: string | undefined;
  quantise?: 'none' | 'w8a8' | 'w4a8';
}): Promise<EngineThread> {
  if (checkpoint === undefined) {
    throw new GyreError('bad_input', 'the policy nano needs weights', {
      field: '--checkpoint',
      fix: 'name a .safetensors file, for example of a run of gyre flywheel, or choose --policy random or oracle',
    });
  }
  const engine = await EngineThread.start({
    architecture: nano,
    seed: 1,
    ...(quantise !== 'none' && { frozen: quantise }),
  });
  try {
    await engine.load(checkpoint, { optimiser: false });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
