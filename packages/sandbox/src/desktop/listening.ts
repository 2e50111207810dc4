import { chmod, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Folder } from './folder.js';

/** The process that inherits `descriptor` accepts; earlier clients wait. */
export interface Listening {
  readonly descriptor: unknown;
  /** Closes the socket in this process only. */
  close(): void;
}

export async function listen(folder: Folder, name: string): Promise<Listening> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder.onHost, `${name}.listening`), resolve);
  });
  try {
    // Closing unlinks only the name that was bound.
    await rename(join(folder.onHost, `${name}.listening`), join(folder.onHost, name));
    await folder.give(name);
    await chmod(join(folder.onHost, name), 0o660);
  } catch (error) {
    // An open server would keep this process alive.
    server.close();
    throw error;
  }
  // The server itself would keep listening after the hand-over.
  const { _handle: descriptor } = server as unknown as { readonly _handle: unknown };
  return { descriptor, close: () => server.close() };
}
