import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { filtered, unprivileged } from '../systemCallFilter.js';
import type { HostUser } from '../sessionDirectory.js';

/** Confinement of a browser outside any enclosure. */
export interface Confinement {
  /** An unprivileged user of its own; needs root. */
  readonly ownUser: boolean;
  /** Chromium's own, around each page. */
  readonly sandbox: boolean;
  /** gyre's seccomp filter around the whole browser. */
  readonly filter: boolean;
}

export interface Weakness {
  readonly message: string;
  readonly fix: string;
}

const isRoot = process.getuid?.() === 0;

/** Strongest first. Unsandboxed browsers could read an ordinary user's files, so none is started. */
const confinements: readonly Confinement[] = isRoot
  ? [
      { ownUser: true, sandbox: true, filter: true },
      { ownUser: true, sandbox: true, filter: false },
      { ownUser: true, sandbox: false, filter: true },
      { ownUser: true, sandbox: false, filter: false },
      { ownUser: false, sandbox: false, filter: false },
    ]
  : [{ ownUser: false, sandbox: true, filter: false }];

/** By the browser's path. */
const known = new Map<string, Confinement>();

const weaknesses = channel('gyre:sandbox:weakness');
const published = new Set<string>();

/**
 * Starts a browser in the strongest confinement that works. The strongest is tried twice, because browsers sometimes
 * die on a busy machine. Throws the first error.
 *
 * @param canBeWeaker whether the confinement may have caused an error.
 */
export async function confined<Started>(
  executable: string,
  start: (confinement: Confinement) => Promise<Started>,
  canBeWeaker: (error: unknown) => boolean,
): Promise<Started> {
  const remembered = known.get(executable);
  if (remembered !== undefined) return start(remembered);
  let first: { readonly error: unknown } | undefined;
  for (const confinement of [confinements[0]!, ...confinements]) {
    try {
      const started = await start(confinement);
      if (!known.has(executable)) known.set(executable, confinement);
      const weakness = weaknessOf(confinement);
      if (weakness) publish(weakness);
      return started;
    } catch (error) {
      first ??= { error };
      if (!canBeWeaker(error)) break;
    }
  }
  throw first!.error;
}

export function strongestConfinement(executable: string): Confinement {
  return known.get(executable) ?? confinements[0]!;
}

/** Returns the weakest confinement of this process's browsers on the host. */
export function hostConfinement(): Confinement | undefined {
  const rank = (confinement: Confinement) => confinements.indexOf(confinement);
  return [...known.values()].sort((a, b) => rank(b) - rank(a))[0];
}

export function weaknessOf({ ownUser, sandbox }: Confinement): Weakness | undefined {
  if (isRoot && !ownUser) {
    return {
      message: 'browsers run as root without a sandbox: a page that escapes its renderer controls this machine',
      fix: 'run as root with CAP_SETUID and setpriv, or as an ordinary user; make the browser and the temporary folder readable by every user (a browser below /root is not)',
    };
  }
  if (sandbox) return undefined;
  return {
    message:
      "browsers run without Chromium's sandbox, each as its own unprivileged user: a page that escapes its renderer gets that user's rights and the network",
    fix: 'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: its seccomp profile, for example --security-opt seccomp=unconfined), or use an isolated session',
  };
}

export function hostWeakness(): Weakness | undefined {
  const confinement = hostConfinement();
  return confinement && weaknessOf(confinement);
}

function publish(weakness: Weakness): void {
  if (published.has(weakness.message)) return;
  published.add(weakness.message);
  if (weaknesses.hasSubscribers) weaknesses.publish(weakness);
  else process.emitWarning(weakness.message, { code: 'GYRE_BROWSER_SANDBOX', detail: weakness.fix });
}

/** Returns the unsubscribe function. */
export function onWeakness(listener: (weakness: Weakness) => void): () => void {
  const subscriber = (weakness: unknown): void => listener(weakness as Weakness);
  subscribe(weaknesses.name, subscriber);
  return () => unsubscribe(weaknesses.name, subscriber);
}

export function confine(command: readonly string[], { filter }: Confinement, user: HostUser | undefined): string[] {
  if (user === undefined) return [...command];
  const guarded = (filter ? filtered(command, 'nesting') : null) ?? unprivileged(command);
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--', ...guarded];
}
