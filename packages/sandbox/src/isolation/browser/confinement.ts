import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { filtered, unprivileged } from '../systemCallFilter.js';
import type { HostUser } from '../sessionDirectory.js';

/** What holds a browser that runs on the host, outside of any enclosure. */
export interface Confinement {
  /** It runs as a user of its own, without privileges. Only root can arrange that; for others, it runs as they do. */
  readonly ownUser: boolean;
  /** Chromium's sandbox: namespaces and a seccomp filter around each page. */
  readonly sandbox: boolean;
  /** gyre's seccomp filter around the whole browser. */
  readonly filter: boolean;
}

/** A confinement that is weaker than it could be: why, and what to do. */
export interface Weakness {
  readonly message: string;
  readonly fix: string;
}

const isRoot = process.getuid?.() === 0;

/** From the strongest. Someone who is not root keeps their files in reach of a browser without a sandbox, so none is started. */
const confinements: readonly Confinement[] = isRoot
  ? [
      { ownUser: true, sandbox: true, filter: true },
      { ownUser: true, sandbox: true, filter: false },
      { ownUser: true, sandbox: false, filter: true },
      { ownUser: true, sandbox: false, filter: false },
      { ownUser: false, sandbox: false, filter: false },
    ]
  : [{ ownUser: false, sandbox: true, filter: false }];

/** By the path of the browser, the strongest confinement that it starts in. */
const known = new Map<string, Confinement>();

/** Messages are each published once: a `Weakness`. */
const weaknesses = channel('gyre:sandbox:weakness');
const published = new Set<string>();

/**
 * Starts a browser in the strongest confinement that works here. The first start of a process finds out which; a browser that dies is
 * tried twice before a weaker one, because on a busy machine one now and then does. Throws what the first try has thrown.
 *
 * @param canBeWeaker whether an error may come of the confinement.
 */
export async function confined<Started>(
  executable: string,
  start: (confinement: Confinement) => Promise<Started>,
  canBeWeaker: (error: unknown) => boolean,
): Promise<Started> {
  const found = known.get(executable);
  if (found !== undefined) return start(found);
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

/** The confinement in which a browser has started; before its first start, the strongest. */
export function strongestConfinement(executable: string): Confinement {
  return known.get(executable) ?? confinements[0]!;
}

/** The weakest confinement in which this process has started browsers on the host; undefined where it has started none. */
export function hostConfinement(): Confinement | undefined {
  const rank = (confinement: Confinement) => confinements.indexOf(confinement);
  return [...known.values()].sort((a, b) => rank(b) - rank(a))[0];
}

/** Says what a confinement lacks; undefined where it lacks nothing that matters. */
export function weaknessOf({ ownUser, sandbox }: Confinement): Weakness | undefined {
  if (isRoot && !ownUser) {
    return {
      message: 'browsers run as root and without a sandbox: a page that breaks out of its renderer has this machine',
      fix: 'run as root with CAP_SETUID and setpriv, or as an ordinary user; let every user read the browser (a browser below /root is not) and the folder for temporary files',
    };
  }
  if (sandbox) return undefined;
  return {
    message:
      "browsers run without Chromium's sandbox, each as an unprivileged user of its own: a page that breaks out of its renderer has that user's rights, and the network",
    fix: 'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: its seccomp profile, for example --security-opt seccomp=unconfined), or use a sandbox',
  };
}

/** What the browsers that this process has started on the host lack; undefined where that is nothing, or where it has started none. */
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

/** Calls `hear` with each weakness that is found from now on. Returns what ends that. */
export function onWeakness(hear: (weakness: Weakness) => void): () => void {
  const listener = (weakness: unknown): void => hear(weakness as Weakness);
  subscribe(weaknesses.name, listener);
  return () => unsubscribe(weaknesses.name, listener);
}

/** A command as it runs in a confinement. */
export function confine(command: readonly string[], { filter }: Confinement, user: HostUser | undefined): string[] {
  if (user === undefined) return [...command];
  const guarded = (filter ? filtered(command, 'nesting') : null) ?? unprivileged(command);
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--', ...guarded];
}
