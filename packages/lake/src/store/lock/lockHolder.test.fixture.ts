// Writes its token while it holds the lock.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderLock } from './folderLock.js';

const [dir = ''] = argv.slice(2);
try {
  const lock = await FolderLock.take(dir);
  stdout.write(`took ${lock.token}\n`);
  for (;;) {
    await lock.expect();
    await writeFile(join(dir, 'written'), String(lock.token));
    stdout.write(`wrote ${lock.token}\n`);
    await sleep(400);
  }
} catch (error) {
  stdout.write(`${String((error as { code?: string }).code)} ${(error as Error).message}\n`);
  process.exitCode = 1;
}
