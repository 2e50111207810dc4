import { existsSync, lstatSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Limits } from './enclosure.js';
import { defaultUser, system } from './view.js';
import type { EgressOptions } from './egressProxy.js';

export interface IsolationOptions {
  /** The agent's user, at home in `/home/NAME`. Default: `agent`. */
  readonly user?: string | undefined;
  readonly limits?: Partial<Limits>;
  /** Default: `none`. */
  readonly network?: 'none' | EgressOptions;
  /** Absolute host paths to expose; the session's user needs permission. */
  readonly readable?: readonly string[];
  /** Home folders that system programs write to; neither movable nor replaceable. */
  readonly pinned?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Lets system programs make namespaces, for Chromium's sandbox. The agent's may not if system calls are filtered.
   * Default: no.
   */
  readonly nestedNamespaces?: boolean;
  /** Host devices, if present and permitted to the session's user. */
  readonly devices?: readonly string[];
  /**
   * Gives the session a writable root of its own, in which the agent is root: `machine` for this machine's system, or
   * the absolute host path of another, which is not changed. Needs root and bubblewrap.
   */
  readonly root?: string | undefined;
  /** Base directory on the host. Default: `gyre-sandbox-UID` under the temporary directory. */
  readonly directory?: string;
}

const defaultLimits: Limits = { memoryBytes: 2 ** 31, cpus: 2, processes: 512, diskBytes: 2 ** 30 };

export function checkedLimits(requested: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...requested };
  for (const [field, value] of Object.entries(limits)) {
    const ok = Number.isFinite(value) && value > 0 && (field === 'cpus' || Number.isInteger(value));
    if (!ok)
      throw new GyreError('bad_input', `invalid ${field}: ${value}`, {
        field: `limits.${field}`,
        fix: 'use a number above 0',
      });
  }
  return limits;
}

/** User names that Linux accepts. */
export const userName = /^[a-z_][a-z0-9_-]{0,31}$/;

export function checkedUser(user: string = defaultUser): string {
  if (userName.test(user) && !['root', 'nobody', system.name].includes(user)) return user;
  throw new GyreError('bad_input', `${JSON.stringify(user)} is not a valid user name for a session`, {
    field: 'user',
    fix: `use up to 32 lower-case letters, digits, - and _, starting with a letter; not root, nobody or ${system.name}`,
  });
}

/** Throws `bad_input`. */
export function checkedRoot(root: string): string {
  if (root === 'machine') return root;
  const folder = isAbsolute(root) && normalize(root) === root && root !== '/' && existsSync(root);
  if (folder && lstatSync(root).isDirectory()) return root;
  throw new GyreError('bad_input', `${JSON.stringify(root)} is no root file system`, {
    field: 'root',
    fix: 'use machine, or the absolute path of a folder with a root file system, without . and ..',
  });
}

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
    throw new GyreError('bad_input', `cannot share ${path} with a session`, {
      field: 'readable',
      fix: 'use an absolute path of an existing file or directory, without . and ..',
    });
  }
  return paths;
}
