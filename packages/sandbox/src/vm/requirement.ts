import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { GyreError } from '@gyre/protocol';
import type { Requirement } from '../desktop/requirement.js';
import { runs } from '../browser/executable.js';

export const qemu: Requirement = { name: 'qemu-system-x86_64', debian: 'qemu-system-x86' };
export const qemuImg: Requirement = { name: 'qemu-img', debian: 'qemu-utils' };

export function missingForVm(env: NodeJS.ProcessEnv = process.env): Requirement[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [qemu, qemuImg].filter(({ name }) => !folders.some((folder) => runs(join(folder, name))));
}

export function checkVmRequirements(env?: NodeJS.ProcessEnv): void {
  // Pictures pass through /proc.
  if (process.platform !== 'linux')
    throw new GyreError('missing', `virtual machines need Linux, not ${process.platform}`, {
      field: 'vm',
      fix: 'use Linux',
    });
  const missing = missingForVm(env);
  if (missing.length === 0) return;
  throw new GyreError('missing', `${missing.map(({ name }) => name).join(' and ')} not installed`, {
    field: 'vm',
    fix: `run \`apt-get install ${missing.map(({ debian }) => debian).join(' ')}\``,
  });
}

export async function qemuVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(qemu.name, ['--version'], { timeout: 30_000 });
  return /version (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version';
}
