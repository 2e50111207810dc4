import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { SandboxLease } from '../lease/sandbox.js';
import type { LeaseRequest } from '../wire/lease.js';

/** Host paths by public name. */
export type VmImages = Readonly<Record<string, string>>;

export async function readVmImages(folder: string): Promise<VmImages> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read ${folder}`, { field: 'images', fix: 'use a readable folder', cause });
  });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(files.map(({ name }) => [name, join(folder, name)]));
}

/** Host paths of root file systems by public name; `machine` is this machine's. */
export type SandboxRoots = Readonly<Record<string, string>>;

/** Lists the folders of a folder. Throws `bad_input`. */
export async function readRoots(folder: string): Promise<SandboxRoots> {
  const absolute = resolve(folder);
  const entries = await readdir(absolute, { withFileTypes: true }).catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read ${folder}`, { field: 'roots', fix: 'use a readable folder', cause });
  });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'machine').map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, join(absolute, name)]));
}

/** Resolves the name of a root. Throws `bad_input` if unknown. */
export function withRoot(lease: SandboxLease, roots: SandboxRoots): SandboxLease {
  if (!('root' in lease) || lease.root === undefined || lease.root === 'machine') return lease;
  if (Object.hasOwn(roots, lease.root)) return { ...lease, root: roots[lease.root] };
  throw new GyreError('bad_input', `there is no root ${lease.root}`, {
    field: 'root',
    fix: `use one of ${['machine', ...Object.keys(roots)].join(', ')}`,
  });
}

/** Resolves an image name: clients must not name host paths. Throws `bad_input` if unknown. */
export function withImage(request: LeaseRequest, images: VmImages): SandboxLease {
  if (!('vm' in request) || !request.vm) return request;
  const { vm, ...terms } = request;
  const names = Object.keys(images);
  const image = Object.hasOwn(images, vm.image) ? images[vm.image] : undefined;
  if (image !== undefined) return { ...terms, vm: { ...vm, image } };
  throw new GyreError('bad_input', `there is no image ${vm.image}`, {
    field: 'vm.image',
    fix: names.length > 0 ? `use one of ${names.join(', ')}` : 'start the server with images',
  });
}
