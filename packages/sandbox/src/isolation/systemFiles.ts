import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identityNames, type Place } from './view.js';

/** Needed by programs, and reveals nothing about the host; the rest of /etc is hidden. */
const configuration = new RegExp(
  `^(${[
    String.raw`alternatives|ssl|pki|crypto-policies|ld\.so\.(cache|conf|conf\.d)|localtime|locale\.(alias|conf)|mime\.types|mailcap`,
    String.raw`protocols|services|os-release|inputrc|bash\.bashrc|profile|shells|terminfo|vim|nanorc|java.*`,
    String.raw`fonts|xdg|X11|gtk-[234]\.0|dconf|glvnd|vulkan|OpenCL|drirc|at-spi2|pulse|alsa|asound\.conf|openbox|xfce4`,
    String.raw`chromium(\.d)?|firefox(-esr)?|libreoffice|ghostscript|ImageMagick-\d|gimp|thunar|pcmanfm`,
  ].join('|')})$`,
);

/** Sessions of an ordinary user could read that user's own keys. */
const hidden = ['/etc/ssl/private', '/etc/pki/tls/private'];

const caches = ['/var/cache/fontconfig', '/var/lib/libreoffice'];

export function hostFiles(): Place[] {
  const present = (path: string) => existsSync(path);
  const show = (path: string): Place => ({ kind: 'show', path, from: path });
  return [
    show('/usr'),
    ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => entry('/', name)),
    { kind: 'folder', path: '/etc' },
    ...readdirSync('/etc')
      .filter((name) => configuration.test(name))
      .map((name) => join('/etc', name))
      .filter(present)
      .map(show),
    ...hidden.filter((path) => kindOf(path) === 'directory').map((path): Place => ({ kind: 'closed', path })),
    { kind: 'folder', path: '/var' },
    { kind: 'link', path: '/var/tmp', to: '../tmp' },
    ...caches.filter(present).map(show),
  ];
}

const ownDirectories = ['dev', 'proc', 'sys', 'tmp', 'run', 'home', 'etc'];

/** Lists an image's files. Its links could lead into the host: they are remade inside, never followed here. */
export function imageFiles(root: string): Place[] {
  const etc = join(root, 'etc');
  const configuration = kindOf(etc) === 'directory' ? readdirSync(etc) : [];
  return [
    ...readdirSync(root)
      .filter((name) => !ownDirectories.includes(name))
      .flatMap((name) => entry(root, name)),
    { kind: 'folder', path: '/etc' },
    ...configuration
      .filter((name) => !identityNames.includes(name))
      .flatMap((name) => entry(etc, name).map((place) => ({ ...place, path: `/etc/${name}` }))),
  ];
}

function entry(root: string, name: string): Place[] {
  const from = join(root, name);
  const path = `/${name}`;
  const kind = kindOf(from);
  if (kind === 'link') return [{ kind, path, to: readlinkSync(from) }];
  return kind === 'none' ? [] : [{ kind: 'show', path, from }];
}

function kindOf(path: string): 'link' | 'directory' | 'file' | 'none' {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
