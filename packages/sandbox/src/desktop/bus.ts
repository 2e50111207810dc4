import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { system } from '../isolation/view.js';
import { BusConnection } from './busConnection.js';
import type { Folder } from './folder.js';
import { listen } from './listening.js';
import type { Programs } from './programs.js';

const startMs = 5_000;

/** Only the session's users can reach the socket. */
const config = (
  address: string,
  rest: string,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>${address}</listen>
  <auth>EXTERNAL</auth>
  <auth>ANONYMOUS</auth>
  <allow_anonymous/>
${rest}
  <!-- All nodes of a program are asked at once. -->
  <limit name="max_replies_per_connection">1000000</limit>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
</busconfig>
`;

/** The agent's bus: services it activates run as the agent. */
const sessionBus = `
  <standard_session_servicedirs/>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>`;

/**
 * Configures the bus that verifiers read. The registry is a system program: the agent cannot change its environment or
 * take its name.
 */
const accessibilityBus = (apart: boolean) => `
  <servicedir>/usr/share/dbus-1/accessibility-services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    ${apart ? '' : '<allow own="*"/>'}
    <deny send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/>
  </policy>
  ${apart ? `<policy user="${system.name}"><allow own="*"/></policy>` : ''}`;

const addressOf = (folder: Folder, name: string) => `unix:path=${join(folder.inside, name)}`;

/** Sets both: programs try AT_SPI_BUS_ADDRESS before they ask the session bus. */
export function busEnv(folder: Folder): Readonly<Record<'agent' | 'system', Readonly<Record<string, string>>>> {
  const accessibility = { AT_SPI_BUS_ADDRESS: addressOf(folder, 'bus') };
  const session = { DBUS_SESSION_BUS_ADDRESS: addressOf(folder, 'session') };
  return { agent: { ...accessibility, ...session }, system: accessibility };
}

/** Returns undefined if dbus-daemon is not installed. */
export async function startBus(programs: Programs, folder: Folder, apart: boolean): Promise<BusConnection | undefined> {
  await folder.write('bus.conf', config(addressOf(folder, 'bus'), accessibilityBus(apart)));
  const flags = ['--nofork', '--print-address=1', `--config-file=${join(folder.inside, 'bus.conf')}`];
  const status = await programs.supervise(['dbus-daemon', ...flags], { timeoutMs: startMs });
  if (status === 127) return undefined;
  if (status !== 'ready') {
    throw new GyreError('infra', 'the message bus did not start', {
      part: 'bus',
      field: 'desktop',
      fix: 'run dbus-daemon --session to see its error',
    });
  }
  return new BusConnection(join(folder.onHost, 'bus'));
}

const inherits = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"';

/** Resolves once clients can connect, before the bus accepts them. */
export async function startSessionBus(programs: Programs, folder: Folder): Promise<void> {
  await folder.write('session.conf', config('systemd:', sessionBus));
  const listening = await listen(folder, 'session');
  const flags = ['--nofork', '--print-address=1', `--config-file=${join(folder.inside, 'session.conf')}`];
  const { ready } = await programs.startSupervised(['sh', '-c', inherits, 'gyre-bus', 'dbus-daemon', ...flags], {
    as: 'agent',
    listening,
    timeoutMs: startMs,
  });
  ready.catch(() => undefined);
}
