import { existsSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Limits } from './enclosure.js';
import { defaultUser, system } from './view.js';
import type { Outside } from './outsideProxy.js';

export interface WallOptions {
  /** Name of the user that the agent's programs run as; its home is `/home/NAME`. Default: `agent`. */
  readonly user?: string | undefined;
  readonly limits?: Partial<Limits>;
  /** What the session may reach: nothing but itself, or the hosts of a list. Default: nothing. */
  readonly network?: 'none' | Outside;
  /** Absolute paths of the host that programs inside may read, beside the system. The session's user must be able to. */
  readonly readable?: readonly string[];
  /** Folders of the home to which programs of the system write: they are made, and can be neither moved nor replaced. Default: none. */
  readonly pinned?: readonly string[];
  /** For every program of the session. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Lets programs of the system make namespaces of their own, which Chromium's own sandbox needs. Programs of the agent may
   * not, wherever system calls are filtered. Default: no.
   */
  readonly nestedNamespaces?: boolean;
  /** Devices of the host that programs inside may use, where they are there and the session's user may. Default: none. */
  readonly devices?: readonly string[];
  /** Where sessions have their directories on the host. Default: `gyre-sandbox-UID` among the temporary files. */
  readonly directory?: string;
}

export const defaultLimits: Limits = { memoryBytes: 2 ** 31, cpus: 2, processes: 512, diskBytes: 2 ** 30 };

/** Throws 'bad_input'. */
export function checkedLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [field, value] of Object.entries(limits)) {
    const ok = Number.isFinite(value) && value > 0 && (field === 'cpus' || Number.isInteger(value));
    if (!ok)
      throw new GyreError('bad_input', `${field} is ${value}`, {
        field: `limits.${field}`,
        fix: 'give a number above 0',
      });
  }
  return limits;
}

/** What Linux takes for the name of a user. */
export const userName = /^[a-z_][a-z0-9_-]{0,31}$/;

/** Throws 'bad_input'. */
export function checkedUser(user: string = defaultUser): string {
  if (userName.test(user) && !['root', 'nobody', system.name].includes(user)) return user;
  throw new GyreError('bad_input', `${JSON.stringify(user)} cannot be the user of a session`, {
    field: 'user',
    fix: `use up to 32 small letters, digits, - and _, beginning with a letter; not root, nobody or ${system.name}`,
  });
}

/** Throws 'bad_input'. */
export function checkedPaths(paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    if (
      isAbsolute(path) &&
      normalize(path) === path &&
      existsSync(path) &&
      path !== '/' &&
      !/^\/(proc|dev|sys)(\/|$)/.test(path)
    )
      continue;
    throw new GyreError('bad_input', `${path} cannot be shown to a session`, {
      field: 'readable',
      fix: 'name an absolute path of a file or directory that is there, without . and ..',
    });
  }
  return paths;
}
