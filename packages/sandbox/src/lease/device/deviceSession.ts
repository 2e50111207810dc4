import { ScreenSession, type SessionTerms } from '../screenSession.js';
import type { DeviceSurfaces } from '../sandboxSession.js';
import type { DeviceKind } from '../kind.js';
import type { Phone } from '../../phone/phone.js';
import type { Remote } from '../../foreign/driven/remote.js';
import type { Device, DeviceFiles, DeviceShell } from './device.js';

export class DeviceSession extends ScreenSession<DeviceKind> implements DeviceSurfaces {
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
