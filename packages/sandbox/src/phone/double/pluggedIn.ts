import { PhoneDouble, type PhoneDoubleOptions } from './phoneDouble.js';
import type { PrivateServer } from './privateServer.js';

/** A double that an adb server knows and can use. */
export async function plugIn(server: PrivateServer, options: PhoneDoubleOptions = {}): Promise<PhoneDouble> {
  const plugged = await PhoneDouble.start(options);
  await server.adb('connect', plugged.serial);
  // The server does not wait for the user who is asked.
  if (options.allows !== false) await server.adb('-s', plugged.serial, 'wait-for-device');
  return plugged;
}

/** Takes a double away from an adb server. */
export async function unplug(server: PrivateServer, plugged: PhoneDouble): Promise<void> {
  await server.adb('disconnect', plugged.serial).catch(() => '');
  await plugged.close();
}
