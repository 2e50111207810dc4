import { loadPolicyCheckpoint, type NativeArchitecture, nativeArchitectures, weightsFile } from '@gyre/engine';
import { fromScratch, type Settings } from './settings.js';

/** Returns the architecture of a policy that starts from these weights. */
export async function architectureOf({
  from,
  architecture = 'pixels',
}: Pick<Settings, 'from' | 'architecture'>): Promise<NativeArchitecture> {
  if (from === fromScratch) {
    return architecture === 'pixels' ? nativeArchitectures.scratch.nano : nativeArchitectures[architecture];
  }
  const saved = await loadPolicyCheckpoint(weightsFile(from));
  return { ...saved.architecture, role: 'policy' };
}
