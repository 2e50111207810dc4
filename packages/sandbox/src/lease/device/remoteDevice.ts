import { GyreError } from '@gyre/protocol';
import type { CallListener } from '../lease.js';
import { Remote, type RemoteOptions } from '../../foreign/driven/remote.js';
import { SessionLog } from '../../events/sessionLog.js';
import type { Device, DeviceShell } from './device.js';
import { Heartbeat } from './heartbeat.js';
import { capped, checkedRun } from './run.js';
import { createDeviceFiles, joinPath } from './deviceFiles.js';

export interface RemoteTerms extends RemoteOptions {
  readonly kind: 'remote';
}

export async function remoteDevice({ kind: _, ...options }: RemoteTerms): Promise<Device> {
  const remote = await Remote.connect(options);
  const heartbeat = new Heartbeat(() => remote.answers());
  const gone = Promise.race([remote.ended, heartbeat.gone]);
  return {
    screen: remote,
    remote,
    log: new SessionLog(),
    shell: remoteShell(remote),
    files: createDeviceFiles({
      read: (path) => remote.readBytes(path),
      write: (path, bytes) => remote.write(path, bytes),
      list: async (path) =>
        (await remote.list(path)).map(({ name, type }) => ({ path: joinPath(path, name), type: type ?? 'unknown' })),
    }),
    // A failed call may mean that the machine is gone.
    heard: onFailure(() => heartbeat.now()),
    look: async () => {
      const begin = performance.now();
      return { frame: await remote.observe(), costMs: performance.now() - begin };
    },
    broken: gone.then(
      () =>
        new GyreError('infra', `the machine at ${new URL(options.url).origin} no longer answers`, {
          part: 'remote',
          field: 'url',
          fix: 'check that its server is running, and lease another session',
        }),
    ),
    close: async () => {
      heartbeat.end();
      await remote.close();
    },
  };
}

const onFailure =
  (tell: () => void): CallListener =>
  (_method, _args, result) => {
    if (!(result instanceof Promise)) return;
    result.catch((error: unknown) => {
      if (error instanceof GyreError && error.code === 'infra') tell();
    });
  };

function remoteShell(remote: Remote): DeviceShell {
  return {
    async run(command, options = {}) {
      const { timeoutMs, maxOutput } = checkedRun(options);
      const { stdout, stderr, ...rest } = await remote.run(command, { timeoutMs });
      const [out, err] = [capped(stdout, maxOutput), capped(stderr, maxOutput)];
      const leftOut = { stdout: out.leftOut, stderr: err.leftOut };
      return { ...rest, stdout: out.text, stderr: err.text, truncated: leftOut.stdout + leftOut.stderr > 0, leftOut };
    },
  };
}
