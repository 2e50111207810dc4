import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Configuration that programs need to run and that tells nothing about the host. Everything else in /etc stays outside. */
const configuration = new RegExp(
  `^(${[
    String.raw`alternatives|ssl|pki|crypto-policies|ld\.so\.(cache|conf|conf\.d)|localtime|locale\.(alias|conf)|mime\.types|mailcap`,
    String.raw`protocols|services|os-release|inputrc|bash\.bashrc|profile|shells|terminfo|vim|nanorc|java.*`,
    String.raw`fonts|xdg|X11|gtk-[234]\.0|dconf|glvnd|vulkan|OpenCL|drirc|at-spi2|pulse|alsa|asound\.conf|openbox|xfce4`,
    String.raw`chromium(\.d)?|firefox(-esr)?|libreoffice|ghostscript|ImageMagick-\d|gimp|thunar|pcmanfm`,
  ].join('|')})$`,
);

/** Readable by their owners alone, but an ordinary user's own keys would be readable by his sessions. */
const hidden = ['/etc/ssl/private', '/etc/pki/tls/private'];

const caches = ['/var/cache/fontconfig', '/var/lib/libreoffice'];

/** Arguments of bubblewrap that show the system, read-only. */
export function systemFiles(): string[] {
  const args = ['--ro-bind', '/usr', '/usr'];
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const path = `/${name}`;
    const kind = kindOf(path);
    if (kind === 'link') args.push('--symlink', readlinkSync(path), path);
    else if (kind === 'directory') args.push('--ro-bind', path, path);
  }
  args.push('--perms', '0755', '--dir', '/etc');
  for (const name of readdirSync('/etc').filter((each) => configuration.test(each))) {
    const path = join('/etc', name);
    args.push('--ro-bind-try', path, path);
  }
  for (const path of hidden)
    if (kindOf(path) === 'directory') args.push('--perms', '0000', '--tmpfs', path, '--remount-ro', path);
  args.push('--perms', '0755', '--dir', '/var', '--symlink', '../tmp', '/var/tmp');
  for (const path of caches) args.push('--ro-bind-try', path, path);
  return args;
}

function kindOf(path: string): 'link' | 'directory' | 'none' {
  try {
    const found = lstatSync(path);
    return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'directory' : 'none';
  } catch {
    return 'none';
  }
}
