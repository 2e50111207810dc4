import {
  basePolicyName,
  loadPolicyCheckpoint,
  type NativeArchitecture,
  nativeArchitectures,
  weightsFile,
} from '@gyre/engine';
import { fromScratch, type Settings } from './settings.js';

/** Returns the architecture of a native policy that starts from these weights; undefined for a served policy. */
export async function architectureOf({
  served,
  from,
  architecture = 'pixels',
}: Pick<Settings, 'served' | 'from' | 'architecture'>): Promise<NativeArchitecture | undefined> {
  if (served) return undefined;
  if (from === fromScratch) {
    return architecture === 'pixels' ? nativeArchitectures.scratch.nano : nativeArchitectures[architecture];
  }
  const saved = await loadPolicyCheckpoint(weightsFile(from));
  return { ...saved.architecture, role: 'policy' };
}

/** Returns the weights that a run loads first; undefined for random ones and for those that the server has. */
export function firstWeights({ served, from }: Pick<Settings, 'served' | 'from'>): string | undefined {
  if (served) return from === basePolicyName ? undefined : from;
  return from === fromScratch ? undefined : weightsFile(from);
}
