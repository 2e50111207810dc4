import { closeSync, openSync } from 'node:fs';
import { GyreError } from '@gyre/protocol';
import { programText } from '../shell/programText.js';
import { quotedWords } from '../shell/shellWords.js';
import type { CommandOptions, Limits } from './enclosure.js';
import type { Member } from './controlGroup.js';
import { hostEnv } from './hostEnv.js';
import { confined, enteringRoot, filtered, unprivileged, type Filtered } from './systemCallFilter.js';
import { agent, system } from './view.js';

/** nsenter's names, with those of /proc. */
const namespaces = {
  user: 'user',
  mount: 'mnt',
  pid: 'pid',
  ipc: 'ipc',
  uts: 'uts',
  net: 'net',
  cgroup: 'cgroup',
} as const;
type Namespace = keyof typeof namespaces;
const namespaceNames = Object.keys(namespaces) as Namespace[];

export interface Restrictions {
  readonly memberFiles: Readonly<Record<Member, readonly string[]>>;
  /** Flags of `prlimit`. */
  readonly resourceLimits: Readonly<Record<Member, readonly string[]>>;
  /** Whether system calls can be filtered. */
  readonly filter: boolean;
}

const joinScript = programText(new URL('./join.sh', import.meta.url));

/** oom_score_adj: the agent's programs are killed first. Nobody inside can lower root's value. */
const firstToEnd: Readonly<Record<Member, string>> = { agent: '500', system: '0' };

/** Joins control groups, drops privileges, then execs the program. */
export function restrictedCommand(
  { memberFiles, filter }: Restrictions,
  command: readonly string[],
  { as, role }: { readonly as: Member; readonly role: Filtered },
): string[] {
  const files = memberFiles[as];
  const restricted = (filter ? filtered(command, role) : null) ?? unprivileged(command);
  return ['/bin/sh', '-c', joinScript, 'gyre', firstToEnd[as], String(files.length), ...files, ...restricted];
}

/** A browser reserves more data than it uses: pages crash below 2 GiB. */
const leastSystemData = 2 ** 32;

/**
 * Returns `prlimit` flags for other limits: data per process, size per file, processes per user of the session (of the
 * host before Linux 5.14).
 */
export function resourceLimits(enforced: readonly (keyof Limits)[], limits: Limits): Record<Member, string[]> {
  const { memoryBytes, processes, diskBytes } = limits;
  const flagsFor = (data: number): string[] => [
    '--core=0',
    ...(enforced.includes('memoryBytes') ? [] : [`--data=${data}`]),
    ...(enforced.includes('processes') ? [] : [`--nproc=${processes}`]),
    ...(enforced.includes('diskBytes') ? [] : [`--fsize=${diskBytes}`]),
  ];
  return { agent: flagsFor(memoryBytes), system: flagsFor(Math.max(memoryBytes, leastSystemData)) };
}

/** Undoes `joinScript`'s signal handling for the program. */
const defaultSignals = ['env', '--default-signal=INT,QUIT'];
/** Dies with the process that led it inside. */
const dieWithParent = ['setpriv', '--pdeathsig', 'SIGKILL', '--'];

/** $1: directory, $2: umask, rest: program. */
const insideScript =
  'umask "$2"; unset LC_ALL; eval "$GYRE_ENV"; cd -- "$1" || exit 126; unset GYRE_ENV OLDPWD SHLVL; shift 2; exec "$@"';

/**
 * Enters a session's namespaces, and never another's whose first process reuses the PID. Root holds the namespaces
 * open; an ordinary user holds bubblewrap's user namespace open, from which a PID leads to no other session.
 */
export class NamespaceEntry {
  readonly #paths = new Map<Namespace, string>();
  readonly #parentNamespace: string | null = null;
  readonly #open: number[] = [];
  readonly #restrictions: Restrictions;
  readonly #nested: boolean;
  readonly #rooted: boolean;

  /**
   * @param first PID of the first process.
   * @param builderPid PID of bubblewrap.
   */
  constructor(
    first: number,
    builderPid: number,
    restrictions: Restrictions,
    { nested, rooted }: { readonly nested: boolean; readonly rooted: boolean },
  ) {
    this.#restrictions = restrictions;
    this.#nested = nested;
    this.#rooted = rooted;
    const root = process.getuid?.() === 0;
    if (!root) this.#parentNamespace = this.#hold(`/proc/${builderPid}/ns/user`);
    for (const name of namespaceNames) {
      const path = `/proc/${first}/ns/${namespaces[name]}`;
      this.#paths.set(name, root ? this.#hold(path) : path);
    }
  }

  /**
   * Returns the command line and its environment on the host. The session's variables apply only inside: on the host,
   * they could load code into the programs that lead in.
   */
  command(program: string, args: readonly string[], { as, cwd, env }: Required<CommandOptions>) {
    // The agent shares the group, and may write the browser's downloads.
    const mask = as === 'system' ? '007' : '022';
    const started = ['/bin/sh', '-c', insideScript, 'gyre', cwd, mask, program, ...args];
    // If both share a user, Landlock still protects system programs.
    const sharesUser = this.#parentNamespace !== null && as === 'agent' && this.#restrictions.filter;
    const inside = [...defaultSignals, ...dieWithParent, ...(sharesUser ? confined(started) : started)];
    const leading = this.#rooted ? this.#enterRoot(started, as) : this.#nsenter(namespaceNames, inside, as);
    // Dropped before entering, so that nobody inside meets a privileged process.
    const entering = ['prlimit', ...this.#restrictions.resourceLimits[as], ...leading];
    const argv = restrictedCommand(this.#restrictions, entering, {
      as,
      role: as === 'system' && this.#nested ? 'nesting' : 'inside',
    });
    return { argv, env: { ...hostEnv, GYRE_ENV: assignments(env) } };
  }

  inNetwork(command: readonly string[]): string[] {
    return this.#nsenter(['net'], command);
  }

  close(): void {
    for (const file of this.#open.splice(0)) closeSync(file);
  }

  /** Holds a file open; returns a path for other processes. */
  #hold(path: string): string {
    const file = openSync(path, 'r');
    this.#open.push(file);
    return `/proc/${process.pid}/fd/${file}`;
  }

  #enterRoot(command: readonly string[], as: 'agent' | 'system'): string[] {
    const namespaces = namespaceNames.map((name) => this.#paths.get(name)!);
    return enteringRoot(namespaces, as === 'system' ? system : { uid: 0, gid: 0 }, command);
  }

  #nsenter(names: readonly Namespace[], command: readonly string[], as: 'agent' | 'system' = 'agent'): string[] {
    const flags = names.map((name) => `--${name}=${this.#paths.get(name)}`);
    if (this.#parentNamespace === null) {
      const { uid, gid } = as === 'system' ? system : agent;
      const user = names.includes('user') ? ['--setuid', String(uid), '--setgid', String(gid)] : [];
      return ['nsenter', ...flags, ...user, '--', ...command];
    }
    const keep = '--preserve-credentials';
    return ['nsenter', keep, `--user=${this.#parentNamespace}`, '--', 'nsenter', keep, ...flags, '--', ...command];
  }
}

/** Below the kernel's limit per string. */
const longestEnv = 120_000;

function assignments(env: Readonly<Record<string, string>>): string {
  const text = Object.entries(env)
    .map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0')) {
        throw new GyreError('bad_input', `${JSON.stringify(name)} is not a valid environment variable`, {
          field: 'env',
          fix: 'use letters, digits and _ in its name, and no NUL in its value',
        });
      }
      return `export ${name}=${quotedWords([value])}`;
    })
    .join('\n');
  if (Buffer.byteLength(text) <= longestEnv) return text;
  throw new GyreError('bad_input', 'the environment is too large', { field: 'env', fix: 'pass large things as files' });
}
