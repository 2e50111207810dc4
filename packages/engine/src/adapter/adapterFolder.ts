import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { configFile, weightsFile } from './adapterConfig.js';

/**
 * Writes an adapter into a folder, whose other files stay. `write` gets a draft folder, and puts both files there. The
 * configuration is replaced last: until then a reader finds the adapter of before, or none.
 *
 * @throws GyreError `storage`; those of `write`, after which the folder is as before
 */
export async function writeAdapterFolder(folder: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(folder, '.part');
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await write(draft);
    await rm(join(folder, configFile), { force: true });
    for (const name of [weightsFile, configFile]) await rename(join(draft, name), join(folder, name));
    await rm(draft, { recursive: true });
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (cause) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    // Removes only an empty folder.
    await rmdir(folder).catch(() => undefined);
    // Others are no faults of the disk.
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new GyreError('storage', `cannot write ${folder}: ${(cause as Error).message}`, {
      ...{ field: folder, cause },
      fix: 'free disk space, or choose another folder',
    });
  }
}
