import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Configuration that programs need to run and that tells nothing about the host. Everything else in /etc stays outside. */
const configuration =
  /^(alternatives|ca-certificates(\.conf)?|ssl|pki|crypto-policies|fonts|ld\.so\.(cache|conf|conf\.d)|localtime|timezone|locale\.(alias|conf)|mime\.types|magic(\.mime)?|mailcap|os-release|debian_version|protocols|services|inputrc|bash\.bashrc|profile|shells|skel|terminfo|vim|nanorc|emacs|xdg|X11|gtk-[234]\.0|dconf|glvnd|vulkan|OpenCL|drirc|chromium(\.d)?|firefox(-esr)?|libreoffice|java.*|python3.*|perl|ghostscript|ImageMagick-\d|gimp|papersize|paperspecs|dictionaries-common|sgml|xml|pulse|alsa|asound\.conf|dbus-1|at-spi2|wgetrc|host\.conf|groff|openbox|xfce4|thunar|pcmanfm)$/;

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
