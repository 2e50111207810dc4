import { ScreenSession, type SessionTerms } from '../screenSession.js';
import type { SandboxSession } from '../sandboxSession.js';
import type { DeviceKind } from '../kind.js';
import type { Phone } from '../../phone/phone.js';
import type { Remote } from '../../foreign/driven/remote.js';
import type { Device, DeviceFiles, DeviceShell } from './device.js';

/** Members of every kind of session. */
type Common = Pick<
  SandboxSession,
  'id' | 'state' | 'broken' | 'screen' | 'control' | 'ended' | 'frames' | 'record' | 'logs' | 'renew' | 'release'
>;

/**
 * A session of a lent device, with the device's own shell and files. It has no isolation, and so no tool servers, ports
 * or checkpoints.
 */
export interface DeviceSession extends Common {
  readonly kind: DeviceKind;
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;
}

export interface PhoneSession extends DeviceSession {
  readonly kind: 'phone';
  /** Apps, the tree of the screen, and the rest that only phones have. */
  readonly phone: Phone;
}

export interface RemoteSession extends DeviceSession {
  readonly kind: 'remote';
  /** Accessibility and launching of programs, where the remote server supports them. */
  readonly remote: Remote;
}

export class LentSession extends ScreenSession<DeviceKind> implements DeviceSession {
  readonly shell: DeviceShell;
  readonly files: DeviceFiles;
  readonly phone?: Phone;
  readonly remote?: Remote;

  constructor(session: SessionTerms<DeviceKind>, device: Device) {
    const { phone, remote, heard = () => undefined } = device;
    super(session, device, heard);
    this.shell = this.surface('shell', device.shell, { heard });
    this.files = this.surface('files', device.files, { heard });
    if (phone) {
      const apps = this.surface('phone.apps', phone.apps, { heard });
      this.phone = this.control.guard(this.surface('phone', phone, { heard, instead: { apps } }));
    }
    if (remote) this.remote = this.control.guard(this.surface('remote', remote, { heard }));
  }
}
