import { GyreError } from '@gyre/protocol';
import { Phone, type PhoneOptions } from '../../phone/phone.js';
import { SessionLog } from '../../events/sessionLog.js';
import type { Device, DeviceShell } from './device.js';
import { checkedRun } from './run.js';
import { createDeviceFiles } from './deviceFiles.js';

export interface PhoneTerms extends PhoneOptions {
  readonly kind: 'phone';
  /** adb's serial; a network phone (`host:port`) is connected if necessary. */
  readonly serial: string;
}

export async function phoneDevice({ kind: _, ...options }: PhoneTerms): Promise<Device> {
  const phone = await Phone.connect(options);
  return {
    screen: phone,
    phone,
    log: new SessionLog(),
    shell: phoneShell(phone),
    files: createDeviceFiles({
      read: (path) => phone.pull(path),
      write: (path, bytes) => phone.push(path, bytes),
      list: (path) => phone.list(path),
    }),
    look: async () => {
      const begin = performance.now();
      return { frame: await phone.observe(), costMs: performance.now() - begin };
    },
    broken: phone.ended.then(
      () =>
        new GyreError('infra', `the phone "${phone.serial}" is no longer connected`, {
          part: 'phone',
          field: 'serial',
          fix: 'check `adb devices`, and lease another session',
        }),
    ),
    close: () => phone.close(),
  };
}

function phoneShell(phone: Phone): DeviceShell {
  return {
    async run(command, options = {}) {
      const begin = performance.now();
      const { exitCode, ...result } = await phone.run(command, checkedRun(options));
      return { ...result, exitCode: exitCode ?? undefined, ms: performance.now() - begin };
    },
  };
}
