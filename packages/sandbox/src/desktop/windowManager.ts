import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { XConnection } from './connection.js';
import type { Folder } from './folder.js';
import type { Program, Programs } from './programs.js';
import { RootMenu } from './rootMenu.js';

/** Resolves once openbox manages windows. */
export async function startWindowManager(
  programs: Programs,
  folder: Folder,
  connection: XConnection,
  timeoutMs: number,
): Promise<{ readonly menu: RootMenu; readonly program: Program }> {
  const menu = await RootMenu.open(programs, folder);
  try {
    return { menu, program: await startOpenbox(programs, menu, connection, timeoutMs) };
  } catch (error) {
    menu.close();
    throw error;
  }
}

async function startOpenbox(
  programs: Programs,
  { config }: RootMenu,
  connection: XConnection,
  timeoutMs: number,
): Promise<Program> {
  const { root } = connection;
  const flags = ['--sm-disable', '--config-file', config];
  const openbox = await programs.launch('openbox', flags, 'system').catch((cause: unknown) => {
    const fix = 'run `apt-get install openbox`, or start the desktop with windowManager: false';
    throw new GyreError('missing', 'openbox is not installed', { field: 'windowManager', fix, cause });
  });
  let running = true as boolean;
  void openbox.ended.then(() => (running = false));
  const desktops = await connection.atom('_NET_NUMBER_OF_DESKTOPS');
  for (const limit = performance.now() + timeoutMs; ;) {
    // openbox announces itself before it listens: ask for one desktop until it complies. With four, a wheel over the
    // backdrop would switch desktops.
    connection.tell((client) => client.SendClientMessage(root, root, desktops, 32, [1, 0, 0, 0, 0]));
    if ((await connection.numbers(root, '_NET_NUMBER_OF_DESKTOPS'))[0] === 1) return openbox;
    if (!running || performance.now() > limit) {
      throw new GyreError('infra', 'openbox did not start', {
        part: 'window_manager',
        field: 'windowManager',
        fix: 'run openbox by hand to see its error',
      });
    }
    await pause(10);
  }
}
