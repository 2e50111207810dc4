import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { BusConnection } from './busConnection.js';
import type { Folder } from './folder.js';
import type { Programs } from './programs.js';

const startMs = 5_000;

/**
 * Of a message bus that is the session's and the accessibility bus in one. Whoever reaches its socket may speak: that lies
 * in a folder of the session's user, and this process is a user that the bus cannot know where the session has its own users.
 */
const config = (socket: string) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <auth>ANONYMOUS</auth>
  <allow_anonymous/>
  <servicedir>/usr/share/dbus-1/accessibility-services</servicedir>
  <standard_session_servicedirs/>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <!-- All nodes of a program are asked at once. -->
  <limit name="max_replies_per_connection">1000000</limit>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
</busconfig>
`;

/** Where programs find the bus. They ask for the accessibility bus here before they ask the session bus for its address. */
export function busEnv(folder: Folder): Readonly<Record<string, string>> {
  const address = `unix:path=${join(folder.inside, 'bus')}`;
  return { DBUS_SESSION_BUS_ADDRESS: address, AT_SPI_BUS_ADDRESS: address };
}

/** Starts dbus-daemon. Resolves with a connection to it, or with undefined where it is not installed. */
export async function startBus(programs: Programs, folder: Folder): Promise<BusConnection | undefined> {
  const socket = join(folder.inside, 'bus');
  await folder.write('bus.conf', config(socket));
  const program = ['dbus-daemon', `--config-file=${join(folder.inside, 'bus.conf')}`, '--nofork', '--print-address=1'];
  const status = await programs.keep(program, { timeoutMs: startMs });
  if (status === 127) return undefined;
  if (status !== 'ready') {
    throw new GyreError('infra', 'the message bus did not start', {
      part: 'bus',
      field: 'desktop',
      fix: 'start dbus-daemon --session by hand',
    });
  }
  return new BusConnection(join(folder.onHost, 'bus'));
}
