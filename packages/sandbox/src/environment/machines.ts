import type { OfferedTool, SdkCall, Size, Surface } from '@gyre/protocol';
import type { MachineKind } from '../lease/kind.js';
import type { Session } from '../lease/session.js';

export interface SessionNeeds {
  readonly size: Size;
  /** Absent: a page. */
  readonly machine?: MachineKind | undefined;
  readonly pictures?: boolean | undefined;
  /** No other session may break it, as is always true of machines. */
  readonly alone?: boolean;
}

/** Off-screen actions. */
export interface Sdk {
  /** In addition to a task's: `search`, if available. */
  readonly surfaces?: readonly Surface[];
  /** Throws `bad_input` without the surface, or for unfit arguments. */
  call(call: SdkCall, place: { readonly session: Session; readonly surfaces: readonly Surface[] }): Promise<string>;
  tools?(session: Session): Promise<readonly OfferedTool[]>;
}

/** Without machine tasks, a `BrowserPool` suffices. */
export interface Machines {
  lease(needs: SessionNeeds): Promise<Session>;
  /** Default: releases it. */
  giveBack?(session: Session): Promise<void>;
  /** Default: refuses all calls. */
  readonly sdk?: Sdk | undefined;
}
