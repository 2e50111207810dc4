import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

const run = promisify(execFile);

const unpackMs = 60 * 60_000;

const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const Index = z.object({ manifests: z.array(z.object({ digest: Digest })).min(1) });
const Manifest = z.object({ layers: z.array(z.object({ digest: Digest, mediaType: z.string() })) });

export interface UnpackOptions {
  /** Limit of the unpacked layers together, in bytes. Default: 64 GB. */
  readonly maxBytes?: number;
}

/**
 * Unpacks a container image, an OCI archive or the output of `docker save`, into a new folder that a session's `root` can
 * name, with the image's owners. skopeo reads the archive, and umoci unpacks it. Only root may enter the folder.
 *
 * @throws GyreError `missing` without skopeo or umoci, `bad_input` for a folder that exists or an archive that they refuse
 */
export async function unpackImage(archive: string, folder: string, options: UnpackOptions = {}): Promise<void> {
  const { maxBytes = 64 * 2 ** 30 } = options;
  const target = resolve(folder);
  await checkPlaces(archive, target);
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const layout = join(partial, 'layout');
    const transport = (await lists(archive, 'oci-layout')) ? 'oci-archive' : 'docker-archive';
    await tool('skopeo', ['copy', '--quiet', `${transport}:${archive}`, `oci:${layout}:image`], maxBytes);
    await checkSize(layout, maxBytes);
    await tool('umoci', ['unpack', '--image', `${layout}:image`, join(partial, 'bundle')], maxBytes);
    // Devices of the host, and programs that anyone on the host could run as root.
    await run('find', [
      join(partial, 'bundle', 'rootfs'),
      '-xdev',
      '(',
      '-type',
      'b',
      '-o',
      '-type',
      'c',
      ')',
      '-delete',
    ]);
    await chmod(join(partial, 'bundle'), 0o700);
    await rename(join(partial, 'bundle'), target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function checkPlaces(archive: string, target: string): Promise<void> {
  const refused = (message: string, field: string, fix: string) => new GyreError('bad_input', message, { field, fix });
  if (!(await stat(archive).catch(() => undefined))?.isFile())
    throw refused(`${archive} is no file`, 'archive', 'use an OCI archive, or the output of docker save');
  if (await stat(target).catch(() => undefined))
    throw refused(`${target} exists`, 'folder', 'use another name, or delete it');
  if (!(await stat(dirname(target)).catch(() => undefined))?.isDirectory())
    throw refused(`${dirname(target)} is no folder`, 'folder', 'create it');
}

async function lists(archive: string, name: string): Promise<boolean> {
  return run('tar', ['--list', '--file', archive, name], { timeout: unpackMs }).then(
    () => true,
    () => false,
  );
}

/** No file that it writes gets larger than `maxBytes`. */
async function tool(program: string, args: readonly string[], maxBytes: number): Promise<void> {
  try {
    await run('prlimit', [`--fsize=${maxBytes}`, program, ...args], { timeout: unpackMs, maxBuffer: 2 ** 24 });
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string };
    if (stderr.includes('failed to execute')) {
      throw new GyreError('missing', `${program} is not installed`, {
        field: program,
        fix: 'apt-get install skopeo umoci',
        cause,
      });
    }
    const reason = stderr.trim().split('\n').at(-1) || message;
    const fix = 'use an image of Linux by docker save, or skopeo copy docker://NAME oci-archive:FILE';
    throw refusedArchive(`${program} refuses the image: ${reason.slice(-500)}`, fix, cause);
  }
}

/** Throws `bad_input` if the layers are larger than `maxBytes` together. */
async function checkSize(layout: string, maxBytes: number): Promise<void> {
  const blob = (digest: string) => join(layout, 'blobs', 'sha256', digest.slice('sha256:'.length));
  const { manifests } = Index.parse(JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')));
  const { layers } = Manifest.parse(JSON.parse(await readFile(blob(manifests[0]!.digest), 'utf8')));
  let remaining = maxBytes;
  for (const { digest, mediaType } of layers) {
    remaining -= await unpackedSize(blob(digest), mediaType.endsWith('gzip'), remaining);
  }
}

/** Returns a layer's size, and reads no further than `limit`. */
async function unpackedSize(file: string, zipped: boolean, limit: number): Promise<number> {
  let size = 0;
  const count = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > limit) return;
    }
  };
  const source = createReadStream(file);
  await (zipped ? pipeline(source, createGunzip(), count) : pipeline(source, count)).catch((cause: unknown) => {
    // Ending early aborts the pipeline.
    if (size <= limit) throw refusedArchive('a layer of the image is damaged', 'save the image again', cause);
  });
  if (size <= limit) return size;
  throw refusedArchive('the image is too large when unpacked', 'use a smaller image, or raise maxBytes');
}

const refusedArchive = (message: string, fix: string, cause?: unknown) =>
  new GyreError('bad_input', message, { field: 'archive', fix, cause });
