import type { Size } from '@gyre/protocol';
import type { ScreenTerms } from './driver.js';
import type { EnclosureOptions } from '../isolation/createEnclosure.js';
import type { HomeFiles } from '../files/homeFiles.js';
import type { MachineKind } from './kind.js';
import type { MachineLimits } from './maxima.js';

export interface MachineTerms
  extends
    Pick<EnclosureOptions, 'network' | 'readable' | 'env' | 'user' | 'root'>,
    Omit<Partial<ScreenTerms>, 'network'> {
  readonly kind: MachineKind;
  /** Defaults depend on the host. */
  readonly limits?: Partial<MachineLimits> | undefined;
  /** Default 1280 x 720 px. */
  readonly size?: Size;
  /** Written before any program starts. */
  readonly files?: HomeFiles | undefined;
}
