import { type Oracle, nativePolicy, oraclePolicy, type Policy, randomPolicy } from '@gyre/agent';
import { EngineThread, base, loadPolicyCheckpoint, weightsFile } from '@gyre/engine';
import { oneOf, path, toggle } from './flag.js';

export const policyNames = ['nano', 'random', 'oracle'] as const;

/** The flag that says how weights that do not learn are kept. */
export const quantiseFlag = (what: string) =>
  oneOf(['none', 'w8a8', 'w4a8'], `${what} with weights of 8 or 4 bits, and activations of 8`, { default: 'none' });

/** The flag that names a file of weights. */
export const checkpointFlag = path(
  'weights of the native policy, a .safetensors file; base are those that come with gyre',
  {
    default: base,
  },
);

/** The flags that say which weights the native policy has. */
export const weightsFlags = {
  checkpoint: checkpointFlag,
  quantise: quantiseFlag('the native policy'),
};

/** The flags that choose a policy. */
export const policyFlags = {
  policy: oneOf(policyNames, 'who acts: nano is the native model', { default: 'nano' }),
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
 * @throws What loading the checkpoint throws.
 */
export async function openPolicy(flags: {
  policy: (typeof policyNames)[number];
  checkpoint: string;
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
 * @throws What loading the checkpoint throws.
 */
export async function openNative({
  checkpoint,
  quantise = 'none',
}: {
  checkpoint: string;
  quantise?: 'none' | 'w8a8' | 'w4a8';
}): Promise<EngineThread> {
  const file = weightsFile(checkpoint);
  const { architecture } = await loadPolicyCheckpoint(file);
  const engine = await EngineThread.start({
    architecture,
    seed: 1,
    ...(quantise !== 'none' && { frozen: quantise }),
  });
  try {
    await engine.load(file, { optimiser: false });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
