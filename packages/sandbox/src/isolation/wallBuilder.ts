import { GyreError } from '@gyre/protocol';
import type { Limits } from './enclosure.js';
import type { Harness } from './entrance.js';
import type { Builder } from './firstProcess.js';
import type { SessionDirectory } from './sessionDirectory.js';

/** No walls can be built here: what builds them is not there, or does not work. */
export class NoWalls extends GyreError {}

export interface WallPlan {
  readonly directory: SessionDirectory;
  /** Unlike that of any other session on this machine. */
  readonly name: string;
  /** The name of the session's user. */
  readonly user: string;
  readonly limits: Limits;
  readonly harness: Harness;
  /** Paths of the host that programs inside may read, where they are on the host. */
  readonly readable: readonly string[];
  /** Whether programs of the system may make namespaces of their own, as Chromium's sandbox does. */
  readonly nestedNamespaces: boolean;
  /** Devices of the host that programs inside may use, where they are there. */
  readonly devices: readonly string[];
}

/**
 * Who makes the namespaces of a session and its view of the file system. All else is the same whoever it is: the limits, the
 * way in, the way out, and the end.
 */
export interface WallBuilder {
  readonly kind: 'bubblewrap' | 'podman';
  /** How long the builder may take to end after the first process has, in ms. */
  readonly buryMs: number;
  /**
   * Starts the builder, which ends when the session has ended. Its input is that of the first process. Throws 'missing' where
   * it cannot be, 'infra' or 'bad_input' with the field `isolation` or `image`.
   */
  start(plan: WallPlan): Promise<Builder>;
  /** The number of the first process, once the walls are as they have to be. Throws 'missing' or 'infra'. */
  stand(builder: Builder, plan: WallPlan): Promise<number>;
}
