import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runs } from '../browser/executable.js';

export interface Requirement {
  readonly name: string;
  /** Debian package. */
  readonly debian: string;
}

const programs: readonly Requirement[] = [
  { name: 'Xvfb', debian: 'xvfb' },
  { name: 'openbox', debian: 'openbox' },
  { name: 'dbus-daemon', debian: 'dbus-daemon' },
  { name: 'xterm', debian: 'xterm' },
  { name: 'mousepad', debian: 'mousepad' },
];

const register: Requirement = { name: 'at-spi2-registryd', debian: 'at-spi2-core' };
const registerFile = '/usr/share/dbus-1/accessibility-services/org.a11y.atspi.Registry.service';

export function missingForDesktop(env: NodeJS.ProcessEnv = process.env): Requirement[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const missing = programs.filter(({ name }) => !folders.some((folder) => runs(join(folder, name))));
  return existsSync(registerFile) ? missing : [...missing, register];
}
