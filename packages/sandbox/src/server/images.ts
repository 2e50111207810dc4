import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
