import { AdbServerClient } from '@yume-chan/adb';
import { GyreError } from '@gyre/protocol';
import { reasonOf } from './adbServer.js';
import { phonesOf } from './phones.js';

const address = /^(?:[^\s:]+|\[[^\s\]]+\]):\d{1,5}$/;

const greetingMs = 5_000;

/**
 * Connects an unknown network phone to the adb server. Returns a function that disconnects it, a no-op for other
 * phones.
 */
export async function connectNetworkPhone(
  client: AdbServerClient,
  serial: string | undefined,
  timeoutMs: number,
): Promise<() => Promise<void>> {
  const stay = () => Promise.resolve();
  if (serial === undefined || !address.test(serial)) return stay;
  if ((await phonesOf(client)).some((phone) => phone.serial === serial)) return stay;
  const leave = () => client.wireless.disconnect(serial).catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  // Also raised if the phone has not answered yet, or its user is being asked.
  const connecting = client.wireless.connect(serial).catch((error: unknown) => {
    if (!(error instanceof AdbServerClient.UnauthorizedError)) throw error;
  });
  try {
    await Promise.race([connecting, late]);
    const greeting = AbortSignal.timeout(Math.min(greetingMs, timeoutMs));
    // The next call reports a phone that stays unusable.
    await client.waitFor({ serial }, 'device', { signal: greeting }).catch(() => undefined);
  } catch (cause) {
    // Another client may have been faster.
    if (cause instanceof AdbServerClient.AlreadyConnectedError) return stay;
    await leave();
    throw new GyreError('infra', `adb cannot connect to the phone "${serial}": ${reasonOf(cause)}`, {
      part: 'phone',
      field: 'serial',
      fix: 'check that wireless debugging is on and that `adb connect` reaches the phone',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
  return leave;
}
