import type { OfferedTool, SdkCall, Size, Surface } from '@gyre/protocol';
import type { MachineKind } from '../lease/kind.js';
import type { Session } from '../lease/session.js';

/** The session that a task needs. */
export interface SessionNeeds {
  readonly size: Size;
  /** A fresh machine of this kind. Absent: a page. */
  readonly machine?: MachineKind | undefined;
  readonly pictures?: boolean | undefined;
  /** No other session may be able to break it. Machines always are on their own. */
  readonly alone?: boolean;
}

/** Carries out an agent's actions that are not of the screen. */
export interface Sdk {
  /** Surfaces that it adds to those of a task: `search`, where it can search. */
  readonly surfaces?: readonly Surface[];
  /** Makes a call and returns its output. Throws `bad_input` where the task lacks the surface or the arguments do not fit. */
  call(call: SdkCall, place: { readonly session: Session; readonly surfaces: readonly Surface[] }): Promise<string>;
  /** Lists the tools of a session's MCP servers. */
  tools?(session: Session): Promise<readonly OfferedTool[]>;
}

/** Leases the sessions of environments: a `BrowserPool` is enough where no task needs a machine. */
export interface Machines {
  lease(needs: SessionNeeds): Promise<Session>;
  /** Takes a session back. Default: releases it. */
  giveBack?(session: Session): Promise<void>;
  /** Default: every SDK call is refused. */
  readonly sdk?: Sdk | undefined;
}
