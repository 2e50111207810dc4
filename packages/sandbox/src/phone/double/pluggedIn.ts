import { PhoneDouble, type PhoneDoubleOptions } from './phoneDouble.js';
import type { PrivateServer } from './privateServer.js';

export async function plugIn(server: PrivateServer, options: PhoneDoubleOptions = {}): Promise<PhoneDouble> {
  const plugged = await PhoneDouble.start(options);
  await server.adb('connect', plugged.serial);
  // The server does not wait for the user's permission.
  if (options.allows !== false) await server.adb('-s', plugged.serial, 'wait-for-device');
  return plugged;
}

export async function unplug(server: PrivateServer, plugged: PhoneDouble): Promise<void> {
  await server.adb('disconnect', plugged.serial).catch(() => '');
  await plugged.close();
}
