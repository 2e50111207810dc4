import { execFile } from 'node:child_process';
import { createReadStream, statfsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
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
  /** Limit of the unpacked image, and of what each step may write, in bytes. Default: 64 GB. */
  readonly maxBytes?: number;
  /** Limit of files and folders. Default: 2 million. */
  readonly maxInodes?: number;
}

/**
 * Unpacks a container image, an OCI archive or the output of `docker save`, into a new folder that a session's `root` can
 * name, with the image's owners. skopeo reads the archive, and umoci unpacks it. Only root may enter the folder.
 *
 * The layers are measured before they are unpacked. Since sparse files and deep paths take more than they measure, each
 * program is also killed when the file system has lost the limits, or nine tenths of what was free.
 *
 * @throws GyreError `missing` without skopeo or umoci, `bad_input` for a folder that exists, for an archive that they refuse
 * and for an image over the limits
 */
export async function unpackImage(archive: string, folder: string, options: UnpackOptions = {}): Promise<void> {
  const limits = { maxBytes: 64 * 2 ** 30, maxInodes: 2_000_000, ...options };
  const target = resolve(folder);
  await checkPlaces(archive, target);
  const partial = await mkdtemp(`${target}.partial-`);
  const bundle = join(partial, 'bundle');
  try {
    const layout = join(partial, 'layout');
    const source = await sourceOf(archive, join(partial, 'archive'), limits);
    // umoci reads no zstd.
    const copy = ['--tmpdir', partial, 'copy', '--quiet', '--dest-compress-format', 'gzip', source];
    await tool('skopeo', [...copy, `oci:${layout}:image`], partial, limits);
    await rm(join(partial, 'archive'), { recursive: true, force: true });
    await checkSize(layout, limits.maxBytes);
    await tool('umoci', ['unpack', '--image', `${layout}:image`, bundle], partial, limits);
    // Devices of the host, and programs that anyone on the host could run as root.
    await run('find', [join(bundle, 'rootfs'), '-xdev', '(', '-type', 'b', '-o', '-type', 'c', ')', '-delete']);
    await checkUsed(bundle, limits);
    await chmod(bundle, 0o700);
    await rename(bundle, target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Returns skopeo's name of the archive. skopeo's own extraction of OCI archives follows symlinks out of its folder. */
async function sourceOf(archive: string, place: string, limits: Required<UnpackOptions>): Promise<string> {
  if (!(await lists(archive, 'oci-layout'))) return `docker-archive:${archive}`;
  await mkdir(place);
  const options = [
    '--force-local',
    '--no-same-owner',
    '--no-same-permissions',
    '--file',
    archive,
    '--directory',
    place,
  ];
  await tool('tar', ['--extract', ...options, 'oci-layout', 'index.json', 'blobs'], place, limits);
  await run('find', [place, '-xdev', '!', '-type', 'f', '!', '-type', 'd', '-delete']);
  return `oci:${place}`;
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
  return run('tar', ['--list', '--force-local', '--file', archive, name], { timeout: unpackMs }).then(
    () => true,
    () => false,
  );
}

/** Runs a program that may write no more than the limits, in files of at most `maxBytes`, to the file system of `folder`. */
async function tool(program: string, args: readonly string[], folder: string, limits: Required<UnpackOptions>) {
  const aborter = new AbortController();
  const watch = watchFree(folder, limits, () => aborter.abort());
  const options = { timeout: unpackMs, maxBuffer: 2 ** 24, killSignal: 'SIGKILL', signal: aborter.signal } as const;
  try {
    await run('prlimit', [`--fsize=${limits.maxBytes}`, program, ...args], options);
  } catch (cause) {
    if (aborter.signal.aborted) throw tooLarge();
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
  } finally {
    clearInterval(watch);
  }
}

/** Calls back once the file system has lost the limits, or nine tenths of what was free. What others write counts, too. */
function watchFree(folder: string, { maxBytes, maxInodes }: Required<UnpackOptions>, onExceeded: () => void) {
  const free = () => {
    const { bavail, bsize, ffree } = statfsSync(folder);
    return { bytes: bavail * bsize, inodes: ffree };
  };
  const before = free();
  return setInterval(() => {
    const { bytes, inodes } = free();
    const takenInodes = before.inodes - inodes;
    if (before.bytes - bytes > Math.min(maxBytes, before.bytes * 0.9)) onExceeded();
    else if (takenInodes > Math.min(maxInodes, before.inodes * 0.9)) onExceeded();
  }, 50);
}

/** Throws `bad_input` if the unpacked image is over the limits. */
async function checkUsed(bundle: string, { maxBytes, maxInodes }: Required<UnpackOptions>): Promise<void> {
  const count = async (unit: string) => Number.parseInt((await run('du', ['--summarize', unit, bundle])).stdout, 10);
  if ((await count('--block-size=1')) > maxBytes || (await count('--inodes')) > maxInodes) throw tooLarge();
}

/** Throws `bad_input` if the layers are larger than `maxBytes` together. */
async function checkSize(layout: string, maxBytes: number): Promise<void> {
  const blob = (digest: string) => join(layout, 'blobs', 'sha256', digest.slice('sha256:'.length));
  const { manifests } = Index.parse(JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')));
  const { layers } = Manifest.parse(JSON.parse(await readFile(blob(manifests[0]!.digest), 'utf8')));
  let remaining = maxBytes;
  for (const { digest, mediaType } of layers) {
    const zipped = mediaType.endsWith('gzip');
    if (!zipped && !mediaType.endsWith('tar'))
      throw refusedArchive(`a layer is ${mediaType}`, 'use layers in tar or gzip');
    remaining -= await unpackedSize(blob(digest), zipped, remaining);
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
  throw tooLarge();
}

const refusedArchive = (message: string, fix: string, cause?: unknown) =>
  new GyreError('bad_input', message, { field: 'archive', fix, cause });

const tooLarge = () =>
  refusedArchive(
    'the image is too large when unpacked',
    'use a smaller image, free space on the disk, or raise maxBytes or maxInodes',
  );
