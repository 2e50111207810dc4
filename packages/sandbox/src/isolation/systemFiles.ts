import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identityNames, type Place } from './view.js';

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

/** The system of the host, as far as programs need it and it tells nothing about the host. */
export function hostFiles(): Place[] {
  const present = (path: string) => existsSync(path);
  const own = (path: string): Place => ({ kind: 'show', path, from: path });
  return [
    own('/usr'),
    ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => entry('/', name)),
    { kind: 'folder', path: '/etc' },
    ...readdirSync('/etc')
      .filter((name) => configuration.test(name))
      .map((name) => join('/etc', name))
      .filter(present)
      .map(own),
    ...hidden.filter((path) => kindOf(path) === 'directory').map((path): Place => ({ kind: 'closed', path })),
    { kind: 'folder', path: '/var' },
    { kind: 'link', path: '/var/tmp', to: '../tmp' },
    ...caches.filter(present).map(own),
  ];
}

/** What a session has of its own, whatever the image has there. */
const laidOut = ['dev', 'proc', 'sys', 'tmp', 'run', 'home', 'etc'];

/**
 * The system of an image that lies in a directory of the host. Its links are the image's doing, and would lead into the host:
 * they are made anew inside, and never followed here.
 */
export function imageFiles(root: string): Place[] {
  const etc = join(root, 'etc');
  const configuration = kindOf(etc) === 'directory' ? readdirSync(etc) : [];
  return [
    ...readdirSync(root)
      .filter((name) => !laidOut.includes(name))
      .flatMap((name) => entry(root, name)),
    { kind: 'folder', path: '/etc' },
    ...configuration
      .filter((name) => !identityNames.includes(name))
      .flatMap((name) => entry(etc, name).map((place) => ({ ...place, path: `/etc/${name}` }))),
  ];
}

/** A directory of `/` or a file of it as it is there, or nothing where it is neither. */
function entry(root: string, name: string): Place[] {
  const from = join(root, name);
  const path = `/${name}`;
  const kind = kindOf(from);
  if (kind === 'link') return [{ kind, path, to: readlinkSync(from) }];
  return kind === 'none' ? [] : [{ kind: 'show', path, from }];
}

function kindOf(path: string): 'link' | 'directory' | 'file' | 'none' {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return 'link';
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'none';
  } catch {
    return 'none';
  }
}
