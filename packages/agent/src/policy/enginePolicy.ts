import { hasReader, type NativeArchitecture } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { nativePolicy } from './nativePolicy.js';
import type { Policy } from './policy.js';
import { readingPolicy, type ReadingPolicyOptions } from './readingPolicy.js';
import type { ScreenReader } from './screenTexts.js';

export interface EnginePolicyOptions extends Omit<ReadingPolicyOptions, 'reader'> {
  /** The engine's. */
  readonly architecture: NativeArchitecture;
  /** Required if the architecture has a reader. */
  readonly reader?: ScreenReader | undefined;
}

/** Plays with an engine of any architecture. Throws 'bad_input' if it lacks its reader. */
export function enginePolicy({ architecture, reader, ...options }: EnginePolicyOptions): Policy {
  if (!hasReader(architecture)) return nativePolicy(options);
  if (reader) return readingPolicy({ ...options, reader });
  throw new GyreError('bad_input', `the policy ${options.name} reads the screen, but has no reader`, {
    field: 'reader',
    fix: 'pass a reader',
  });
}
