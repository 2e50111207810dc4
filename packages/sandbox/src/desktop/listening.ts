import { renameSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Folder } from './folder.js';

/** A listening socket for a program that inherits its descriptor. Clients that connect before the program accepts wait. */
export interface Listening {
  readonly descriptor: unknown;
  /**
   * Gives the socket its name and closes it in this process. Call it once the program has the descriptor. Both happen in one tick: Node
   * polls a listening socket, and would accept clients that belong to the program.
   */
  publish(): void;
  /** Closes the socket in this process only. */
  close(): void;
}

/** Listens in a folder. Clients can connect to `name` after `publish`. */
export async function listen(folder: Pick<Folder, 'onHost' | 'give'>, name: string): Promise<Listening> {
  const server = createServer();
  const unpublished = `${name}.listening`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(folder.onHost, unpublished), resolve);
  });
  try {
    await folder.give(unpublished);
    await chmod(join(folder.onHost, unpublished), 0o660);
  } catch (error) {
    // An open server would keep this process alive.
    server.close();
    throw error;
  }
  // Node would adopt the server itself on the other side.
  const { _handle: descriptor } = server as unknown as { readonly _handle: unknown };
  return {
    descriptor,
    publish() {
      renameSync(join(folder.onHost, unpublished), join(folder.onHost, name));
      server.close();
    },
    close() {
      if (server.listening) server.close();
    },
  };
}
