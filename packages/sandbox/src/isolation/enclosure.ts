import type { Socket } from 'node:net';

/** A program as it is started from outside: give it to `spawn`, or to a pseudo-terminal. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** All of it: nothing of this process's own environment belongs there. */
  readonly env: Readonly<Record<string, string>>;
  /** On the host. */
  readonly cwd: string;
}

export interface CommandOptions {
  /**
   * Whose program it is: the agent's, or the system's, which is what a verifier reads and the agent must not reach: a browser,
   * an X server. What runs as `system` must never run what the agent has written. Default: `agent`.
   */
  readonly as?: 'agent' | 'system';
  /** As the program sees it. Default: the home of its user. */
  readonly cwd?: string;
  /** Beside those that every program of the session has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a session may use of the machine. */
export interface Limits {
  /** Of all its programs together, and of its files in memory. */
  readonly memoryBytes: number;
  /** Cores' worth of time; may be a fraction. */
  readonly cpus: number;
  readonly processes: number;
  /** Of its home, /tmp, /dev/shm and its runtime directory together. What its browser or screen stores has room of its own. */
  readonly diskBytes: number;
}

/**
 * How far a limit holds: for the `session` as a whole; for `each` process alone; `watched` several times a second, and the
 * session ends when it is passed; or `none`.
 */
export type EnclosureHold = 'session' | 'each' | 'watched' | 'none';

/** Where everything that a session starts runs: one set of namespaces and limits, one home. */
export interface Enclosure {
  /** What kind of walls it has. */
  readonly kind: 'none' | 'bubblewrap' | 'podman';
  /** The session's home as programs inside see it. */
  readonly home: string;
  /**
   * The same directory on the host. What is in there is the session's doing: a link may point anywhere on the host, so
   * read with care.
   */
  readonly homeOnHost: string;
  /** Where programs of the system have their files: as they see it, and on the host. The agent writes nothing there if `apart`. */
  readonly system: { readonly home: string; readonly onHost: string };
  /**
   * Whether what is judged runs as another user than the agent's programs. Without, a program of the agent can reach the
   * browser and the screen, and so forge what a verifier reads.
   */
  readonly apart: boolean;
  /** Which limits hold here, and how far. */
  readonly holds: Readonly<Record<keyof Limits, EnclosureHold>>;
  /**
   * A program inside as a command of the host. It leads a session of its own, and keeps a terminal only if it was started
   * as the leader of that terminal's session, as what is given to a pseudo-terminal is. Files up to 9 that it is started
   * with go through to the program. Ctrl-C and the like reach the program through its terminal or its process
   * group; any other signal that ends the command kills the program. Throws 'infra' when the enclosure has ended,
   * 'bad_input' for an environment that cannot be.
   */
  command(program: string, args?: readonly string[], options?: CommandOptions): Command;
  /** A connection to a server on the loopback of the session. Throws 'infra' where nobody listens. */
  connect(port: number): Promise<Socket>;
  /** Returns why gyre lets nothing come from an address; undefined where it does not stand in the way. */
  explain(url: URL): string | undefined;
  /** Resolves when the enclosure has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Whether walls have ended every process inside, or are about to: nobody has to look for any. Never without walls. */
  readonly endsAll: boolean;
  /** Ends every process inside and removes what the session has left. Twice is once. */
  close(): Promise<void>;
}
