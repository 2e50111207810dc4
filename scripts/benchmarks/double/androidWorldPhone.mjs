// A phone for AndroidWorld's official code: the device side of ADB is the sandbox's double; its shell is this machine's, in a root of its own
// with the phone's folders. Its apps stand in for those of AndroidWorld: a press of the button of Settings turns the brightness up, and
// that of Markor saves what was typed as a note.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DeviceDouble, programNames } from '../../../packages/sandbox/dist/phone/double/deviceDouble.js';

/** Files of the phone in a folder, where its shell finds them, too. */
class DiskFiles {
  constructor(root) {
    this.root = root;
  }
  place(path) {
    return join(this.root, path.replace(/^\/storage\/emulated\/0/, '/sdcard'));
  }
  mayWrite(path) {
    return /^\/(sdcard|data|storage)\//.test(path) && !path.split('/').includes('..');
  }
  read(path) {
    const place = this.place(path);
    if (!existsSync(place) || !statSync(place).isFile()) return undefined;
    return { bytes: readFileSync(place), mode: 0o644 };
  }
  write(path, bytes) {
    const place = this.place(path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  }
  list(path) {
    const place = this.place(path);
    if (!existsSync(place)) return undefined;
    return new Map(readdirSync(place).map((name) => [name, this.read(join(path, name))]));
  }
  remove(path) {
    rmSync(this.place(path), { force: true });
  }
}

/** Programs that only succeed. */
const stands = ['content', 'date', 'monkey', 'restorecon', 'service', 'svc'];

const success = (output = '') => ({ status: 0, output });

export class AndroidWorldPhone extends DeviceDouble {
  constructor(root) {
    super();
    this.files = new DiskFiles(root);
    this.root = root;
    this.settings = new Map();
    // Files are removed by the shell's own program.
    this.programs = [...programNames.filter((name) => name !== 'rm'), ...stands, 'getprop'];
    for (const folder of ['sdcard', 'data', 'storage/emulated']) mkdirSync(join(root, folder), { recursive: true });
  }

  install(packages) {
    this.apps = new Map(packages.map((name) => [name, '.Main']));
    this.app = packages[0];
  }

  shellOf(folder) {
    const system = ['usr', 'etc'].flatMap((name) => ['--ro-bind', `/${name}`, `/${name}`]);
    const links = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
    const phone = ['sdcard', 'data'].flatMap((name) => ['--bind', join(this.root, name), `/${name}`]);
    const shared = ['--dir', '/storage/emulated', '--symlink', '/sdcard', '/storage/emulated/0'];
    const rest = [
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      folder,
      folder,
      '--unshare-user',
      '--uid',
      '0',
      '--gid',
      '0',
    ];
    return ['bwrap', ...system, ...links, ...phone, ...shared, ...rest, '/bin/sh'];
  }

  runProgram(name, words) {
    const before = this.presses;
    const outcome = this.#own(name, words) ?? super.runProgram(name, words);
    if (this.presses > before) this.#press();
    return outcome;
  }

  #own(name, words) {
    if (stands.includes(name)) {
      this.log.push([name, ...words]);
      return success();
    }
    if (name === 'getprop')
      return success({ 'ro.build.version.sdk': '33\n', 'ro.product.model': 'Double\n' }[words[0]] ?? '\n');
    if (name === 'settings') return this.#settings(words);
    if (name === 'pm' && words[0] === 'list')
      return success([...this.apps.keys()].map((app) => `package:${app}\n`).join(''));
    if (name === 'am' && words[0] === 'start') this.typed = '';
    return undefined;
  }

  #settings([command, space, key, value]) {
    if (command === 'put') this.settings.set(`${space} ${key}`, value);
    if (command !== 'get') return success();
    const keyboard = key === 'default_input_method' ? this.keyboard : undefined;
    return success(`${keyboard ?? this.settings.get(`${space} ${key}`) ?? 'null'}\n`);
  }

  #press() {
    if (this.app === 'com.android.settings') this.settings.set('system screen_brightness', '255');
    const note = /^(\S+) (.+)$/s.exec(this.typed);
    if (this.app === 'net.gsantner.markor' && note)
      this.files.write(`/sdcard/Documents/Markor/${note[1]}`, Buffer.from(note[2]));
  }
}
