import type { Size } from '@gyre/protocol';
import type { ScreenTerms } from './driver.js';
import type { EnclosureOptions } from '../isolation/createEnclosure.js';
import type { HomeFiles } from '../files/homeFiles.js';
import type { MachineKind } from './kind.js';
import type { MachineLimits } from './maxima.js';

/** Terms of a machine. */
export interface MachineTerms
  extends Pick<EnclosureOptions, 'network' | 'readable' | 'env' | 'user'>, Omit<Partial<ScreenTerms>, 'network'> {
  readonly kind: MachineKind;
  /** Defaults depend on the host. More than its operator allows is refused. */
  readonly limits?: Partial<MachineLimits> | undefined;
  /** Size of the screen, in px. Default 1280 x 720. */
  readonly size?: Size;
  /** Files that the home holds before any program starts, by path. Default: none. */
  readonly files?: HomeFiles | undefined;
}
