import { closeSync, openSync } from 'node:fs';
import { GyreError } from '@gyre/protocol';
import { programText } from '../shell/programText.js';
import { quotedWords } from '../shell/shellWords.js';
import type { CommandOptions, Limits } from './enclosure.js';
import type { Member } from './controlGroup.js';
import { hostEnv } from './hostEnv.js';
import { confined, filtered, unprivileged, type Filtered } from './systemCallFilter.js';
import { agent, system } from './view.js';

/** The namespaces of a session by the names that nsenter and /proc have for them. */
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

/** What every program of a session is put under before it is one. */
export interface Harness {
  /** Files of control groups that are joined by writing a process number. */
  readonly memberFiles: Readonly<Record<Member, readonly string[]>>;
  /** Flags of `prlimit`, for limits that no control group holds. */
  readonly resourceLimits: readonly string[];
  /** Whether a filter of system calls can be loaded. */
  readonly filter: boolean;
}

const joinScript = programText(new URL('./join.sh', import.meta.url));

/** Values of oom_score_adj: the agent's programs go first. Nobody inside can lower what root has set. */
const firstToEnd: Readonly<Record<Member, string>> = { agent: '500', system: '0' };

/** Returns a shell that joins control groups, gives up what rights it can, and becomes the program. */
export function harnessed(
  { memberFiles, filter }: Harness,
  command: readonly string[],
  { as, who }: { readonly as: Member; readonly who: Filtered },
): string[] {
  const files = memberFiles[as];
  const tamed = (filter ? filtered(command, who) : null) ?? unprivileged(command);
  return ['/bin/sh', '-c', joinScript, 'gyre', firstToEnd[as], String(files.length), ...files, ...tamed];
}

/**
 * Flags of `prlimit` for what is not held otherwise. Memory: the data of each process. Processes: those of the session's
 * user in the session's user namespace (Linux 5.14 and later count so; before, all of the host's user). Disk: each file.
 */
export function resourceLimits(held: readonly (keyof Limits)[], limits: Limits): string[] {
  const flags = ['--core=0'];
  if (!held.includes('memoryBytes')) flags.push(`--data=${limits.memoryBytes}`);
  if (!held.includes('processes')) flags.push(`--nproc=${limits.processes}`);
  if (!held.includes('diskBytes')) flags.push(`--fsize=${limits.diskBytes}`);
  return flags;
}

/** Undoes for the program what `joinScript` has said about signals. */
const heedful = ['env', '--default-signal=INT,QUIT'];
/** Lets the program die with what has led it in. */
const mortal = ['setpriv', '--pdeathsig', 'SIGKILL', '--'];

/** Inside: the session's environment, then the directory in $1, the mask of permissions in $2, and the program in the rest. */
const insideScript =
  'umask "$2"; unset LC_ALL; eval "$GYRE_ENV"; cd -- "$1" || exit 126; unset GYRE_ENV OLDPWD SHLVL; shift 2; exec "$@"';

/**
 * The way into the namespaces of a session, and never into those of another whose first process came to have the same
 * number. Root holds the namespaces open. An ordinary user holds open the user namespace in which bubblewrap has made
 * them: from there they can be entered, by the number of the process, and no others can.
 */
export class Entrance {
  readonly #paths = new Map<Namespace, string>();
  readonly #antechamber: string | null = null;
  readonly #open: number[] = [];
  readonly #harness: Harness;
  readonly #nested: boolean;

  /**
   * @param first the session's first process.
   * @param keeper bubblewrap's own process.
   * @param nested whether programs of the system may make namespaces of their own.
   */
  constructor(first: number, keeper: number, harness: Harness, nested: boolean) {
    this.#harness = harness;
    this.#nested = nested;
    const root = process.getuid?.() === 0;
    if (!root) this.#antechamber = this.#hold(`/proc/${keeper}/ns/user`);
    for (const name of namespaceNames) {
      const path = `/proc/${first}/ns/${namespaces[name]}`;
      this.#paths.set(name, root ? this.#hold(path) : path);
    }
  }

  /**
   * The argument list that runs a program inside, and its environment on the host. What the session sets for its programs
   * counts inside only: out here it could load code into the programs that lead in.
   */
  command(program: string, args: readonly string[], { as, cwd, env }: Required<CommandOptions>) {
    // What the browser downloads is also the agent's to write, whose group it has.
    const mask = as === 'system' ? '007' : '022';
    const started = ['/bin/sh', '-c', insideScript, 'gyre', cwd, mask, program, ...args];
    // Where the agent is no other user than what is judged, its programs are kept from that at least by this.
    const alike = this.#antechamber !== null && as === 'agent' && this.#harness.filter;
    const inside = [...heedful, ...mortal, ...(alike ? confined(started) : started)];
    // Rights are given up before the walls are passed, so that nobody inside meets a program that still has them.
    const entering = ['prlimit', ...this.#harness.resourceLimits, ...this.#nsenter(namespaceNames, inside, as)];
    const argv = harnessed(this.#harness, entering, {
      as,
      who: as === 'system' && this.#nested ? 'nesting' : 'inside',
    });
    return { argv, env: { ...hostEnv, GYRE_ENV: assignments(env) } };
  }

  /** The argument list that runs a program of the host in the session's network and outside all its other walls. */
  inNetwork(command: readonly string[]): string[] {
    return this.#nsenter(['net'], command);
  }

  close(): void {
    for (const file of this.#open.splice(0)) closeSync(file);
  }

  /** Holds a file open; returns a name that other processes can open it by. */
  #hold(path: string): string {
    const file = openSync(path, 'r');
    this.#open.push(file);
    return `/proc/${process.pid}/fd/${file}`;
  }

  #nsenter(names: readonly Namespace[], command: readonly string[], as: 'agent' | 'system' = 'agent'): string[] {
    const flags = names.map((name) => `--${name}=${this.#paths.get(name)}`);
    if (this.#antechamber === null) {
      const { uid, gid } = as === 'system' ? system : agent;
      const user = names.includes('user') ? ['--setuid', String(uid), '--setgid', String(gid)] : [];
      return ['nsenter', ...flags, ...user, '--', ...command];
    }
    const keep = '--preserve-credentials';
    return ['nsenter', keep, `--user=${this.#antechamber}`, '--', 'nsenter', keep, ...flags, '--', ...command];
  }
}

/** Longest string that the kernel passes to a program, less some. */
const longestEnv = 120_000;

/** Shell text that exports variables. */
function assignments(env: Readonly<Record<string, string>>): string {
  const text = Object.entries(env)
    .map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0')) {
        throw new GyreError('bad_input', `${JSON.stringify(name)} cannot be a variable of the environment`, {
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
