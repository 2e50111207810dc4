import { AdbServerClient } from '@yume-chan/adb';
import { GyreError } from '@gyre/protocol';
import { reasonOf } from './adbServer.js';
import { phonesOf } from './phones.js';

/** A serial that is the address of a phone over the network. */
const address = /^(?:[^\s:]+|\[[^\s\]]+\]):\d{1,5}$/;

/** How long a phone that was connected to may take until it can be used, in ms. */
const greetingMs = 5_000;

/**
 * Has the adb server connect to a phone over the network that it does not know. Returns what ends that connection again; for phones
 * that it knows, and those that are no addresses, that does nothing. Throws `infra` where there is no phone.
 */
export async function joinPhone(
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
  // Said also of one that has only not answered yet, or whose user is asked just now.
  const asked = client.wireless.connect(serial).catch((error: unknown) => {
    if (!(error instanceof AdbServerClient.UnauthorizedError)) throw error;
  });
  try {
    await Promise.race([asked, late]);
    const greeting = AbortSignal.timeout(Math.min(greetingMs, timeoutMs));
    // One that does not become usable is described by whoever looks at it next.
    await client.waitFor({ serial }, 'device', { signal: greeting }).catch(() => undefined);
  } catch (cause) {
    // Another may have been faster.
    if (cause instanceof AdbServerClient.AlreadyConnectedError) return stay;
    await leave();
    throw new GyreError('infra', `adb cannot connect to the phone "${serial}": ${reasonOf(cause)}`, {
      part: 'phone',
      field: 'serial',
      fix: 'see that the phone has wireless debugging on and that `adb connect` reaches it',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
  return leave;
}
