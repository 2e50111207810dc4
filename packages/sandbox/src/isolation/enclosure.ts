import type { Socket } from 'node:net';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Complete: add nothing of this process's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface CommandOptions {
  /**
   * `system` is for what a verifier reads and the agent must not reach (browser, X server); it must never run anything
   * that the agent wrote. Default: `agent`.
   */
  readonly as?: 'agent' | 'system';
  /** Path inside. Default: the user's home. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Limits {
  /** Programs and files in memory. */
  readonly memoryBytes: number;
  /** May be a fraction. */
  readonly cpus: number;
  readonly processes: number;
  /** Home, /tmp, /dev/shm and the runtime directory together. System programs have their own disk. */
  readonly diskBytes: number;
}

/** Scope of a limit; exceeding a `watched` one ends the session. */
export type EnclosureHold = 'session' | 'each' | 'watched' | 'none';

/** Runs a session's programs: one set of namespaces and limits, one home. */
export interface Enclosure {
  readonly kind: 'none' | 'bubblewrap' | 'podman';
  /** Path inside. */
  readonly home: string;
  /** The session controls its content, and links may point anywhere on the host: read with care. */
  readonly homeOnHost: string;
  /** Home of system programs; closed to the agent if `apart`. */
  readonly system: { readonly home: string; readonly onHost: string };
  /**
   * Whether system programs have their own user. If not, the agent's programs can reach browser and screen, and forge
   * what a verifier reads.
   */
  readonly apart: boolean;
  readonly holds: Readonly<Record<keyof Limits, EnclosureHold>>;
  /**
   * Returns the host command that runs a program inside. The program leads a new session unless the command leads its
   * terminal's, as under a pseudo-terminal. It inherits descriptors up to 9. SIGINT and SIGQUIT reach it through its
   * terminal or process group; any other signal that ends the command kills it. Throws 'infra' after the end,
   * 'bad_input' for an invalid environment.
   */
  command(program: string, args?: readonly string[], options?: CommandOptions): Command;
  /** Throws 'infra' if nothing listens. */
  connect(port: number): Promise<Socket>;
  /** Returns why gyre blocks a URL, if it does. */
  explain(url: URL): string | undefined;
  readonly ended: Promise<void>;
  /** Whether the kernel kills every process inside, so that no one else has to. Never without isolation. */
  readonly endsAll: boolean;
  /** Kills every process inside and removes its files. Idempotent. */
  close(): Promise<void>;
}
