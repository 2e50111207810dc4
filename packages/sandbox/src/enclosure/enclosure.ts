/** A program as it is started from outside: give it to `spawn`, or to a pseudo-terminal. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** On the host. */
  readonly cwd: string;
}

export interface CommandOptions {
  /** As the program sees it. Default: the home. */
  readonly cwd?: string;
  /** Beside those that every program of the session has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where everything that a session starts runs: one set of namespaces and limits, one home. */
export interface Enclosure {
  /** What kind of walls it has. */
  readonly kind: 'none' | 'bubblewrap' | 'podman';
  /** The session's home as programs inside see it. */
  readonly home: string;
  /** The same directory on the host. */
  readonly homeOnHost: string;
  /** A program inside as a command of the host. Throws 'infra' when the enclosure has ended. */
  command(program: string, args?: readonly string[], options?: CommandOptions): Command;
  /** Resolves when the enclosure has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Ends every process inside and removes what the session has left. Twice is once. */
  close(): Promise<void>;
}
