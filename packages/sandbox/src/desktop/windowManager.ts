import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { XConnection } from './connection.js';
import type { Programs } from './programs.js';

/** Starts openbox; resolves when it manages windows. Throws `missing` where it is not installed. */
export async function startWindowManager(programs: Programs, connection: XConnection, timeoutMs: number): Promise<void> {
  const { root } = connection;
  const openbox = await programs.launch('openbox', ['--sm-disable']).catch((cause: unknown) => {
    const fix = 'run `apt-get install openbox`, or start the desktop with windowManager: false';
    throw new GyreError('missing', 'openbox is not installed', { field: 'windowManager', fix, cause });
  });
  let running = true;
  void openbox.ended.then(() => (running = false));
  for (const limit = performance.now() + timeoutMs; ; ) {
    // EWMH: a window manager that is there says so by this property.
    if ((await connection.numbers(root, '_NET_SUPPORTING_WM_CHECK')).length > 0) break;
    if (!running || performance.now() > limit) {
      throw new GyreError('infra', 'openbox did not start', { field: 'windowManager', fix: 'start it by hand' });
    }
    await pause(5);
  }
  // Of its own accord it has four desktops, and a wheel over the backdrop changes them: all windows would be gone.
  const desktops = await connection.atom('_NET_NUMBER_OF_DESKTOPS');
  connection.tell((client) => client.SendClientMessage(root, root, desktops, 32, [1, 0, 0, 0, 0]));
  await connection.sync();
}
