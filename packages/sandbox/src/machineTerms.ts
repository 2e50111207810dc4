import type { Size } from '@gyre/protocol';
import type { ScreenTerms } from './driver.js';
import type { EnclosureOptions } from './enclosure/createEnclosure.js';
import type { MachineKind } from './kind.js';

/** What a machine is asked for. */
export interface MachineTerms
  extends Pick<EnclosureOptions, 'limits' | 'network' | 'readable' | 'env'>, Omit<Partial<ScreenTerms>, 'network'> {
  readonly kind: MachineKind;
  /** Of the screen, in px. Default 1280 x 720. */
  readonly size?: Size;
}
