import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { lstatSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEnclosure } from './createEnclosure.js';
import type { Enclosure } from './enclosure.js';
import { baseDirectory, isolation, run, shell } from './within.test.support.js';

const possible = isolation.kind !== 'none' && process.getuid?.() === 0;
const label = possible ? '' : ' (left out: needs root and bubblewrap)';

const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
/** Parts of the host that a session could change. */
const host = () => ({
  top: readdirSync('/').sort(),
  etc: readdirSync('/etc').sort(),
  files: ['/etc/profile', '/etc/passwd', '/usr/bin/env', '/usr/bin/bash'].map((path) => [path, hash(path)]),
  owners: ['/etc', '/usr', '/usr/bin', '/usr/bin/env'].map((path) => [path, statSync(path).uid, statSync(path).mode]),
  mounts: readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => /overlay|lower-/.test(line)),
});

describe.skipIf(!possible)(`a root of its own, over this machine's${label}`, () => {
  const before = host();
  let first: Enclosure;
  let second: Enclosure;
  beforeAll(async () => {
    first = await createEnclosure({ root: 'machine', limits: { diskBytes: 2 ** 26 } });
    second = await createEnclosure({ root: 'machine' });
  });
  afterAll(async () => {
    await Promise.all([first.close(), second.close()]);
    expect(host()).toEqual(before);
  });

  it('lets root inside write everywhere, and changes nothing of the host', async () => {
    const script = `set -e
      mkdir /app /tests /solution /logs; echo one > /app/file
      echo '# changed' >> /etc/profile; rm /etc/os-release; echo 'x:x:5:5::/:/bin/sh' >> /etc/passwd
      mv /usr/bin/env /usr/bin/env.old; cp /usr/bin/env.old /usr/bin/env; echo '#!/bin/sh' > /usr/local/bin/mine
      chmod 755 /usr/local/bin/mine; chown 33:33 /app/file; mine; id -u; id -G`;
    expect(await run(first, 'bash', ['-c', script])).toMatchObject({ code: 0, stdout: '0\n0\n', stderr: '' });
    expect(
      await shell(
        first,
        'cat /app/file; stat -c %u:%g /app/file; tail -n 1 /etc/profile; test -e /etc/os-release || echo gone',
      ),
    ).toBe('one\n33:33\n# changed\ngone');
    expect(host()).toEqual(before);
  });

  it('belongs to one session', async () => {
    await shell(
      first,
      'mkdir -p /app; echo secret > /app/mine; echo secret > /tmp/mine; echo secret > /usr/share/mine',
    );
    const seen =
      'ls /app /tmp/mine /usr/share/mine 2>/dev/null; tail -n 1 /etc/profile; ls /usr/bin/env.old 2>/dev/null';
    expect(await shell(second, seen)).not.toMatch(/mine|changed|old/);
    expect(await shell(second, `ls ${first.homeOnHost}/.. 2>/dev/null || echo no`)).toBe('no');
    await shell(second, 'mkdir /other');
    expect(await shell(first, 'ls -d /other 2>/dev/null || echo no')).toBe('no');
  });

  it('has few capabilities, and no way to the devices, mounts, processes and secrets of the host', async () => {
    // CHOWN to SETUID, NET_BIND_SERVICE, SYS_CHROOT, SETFCAP.
    const status = await shell(first, 'cat /proc/self/status');
    for (const set of ['CapPrm', 'CapEff', 'CapBnd'])
      expect(status).toMatch(new RegExp(`${set}:\\s00000000800404fb\\n`));
    for (const set of ['CapInh', 'CapAmb']) expect(status).toMatch(new RegExp(`${set}:\\s0+\\n`));
    expect(status).toMatch(/NoNewPrivs:\s1/);
    const refused = [
      ...['mount -t tmpfs none /mnt', 'unshare --mount true', 'unshare --user true', 'mknod /app/disk b 254 0'],
      ...['echo 1 > /proc/sys/kernel/panic', 'echo x > /proc/sys/kernel/core_pattern', 'echo b > /proc/sysrq-trigger'],
      ...['cat /etc/shadow', 'ls /var/lib/dpkg', 'ls /boot', 'hostname other', 'chroot /proc/1/root ls /old_root'],
      ...[`kill -0 ${process.pid}`, 'umount /usr', 'setpriv --reuid 70000 true'],
    ];
    for (const script of refused)
      expect(await shell(first, `(${script}) >/dev/null 2>&1 || echo no`), script).toBe('no');
    expect(await shell(first, 'ls -A /root /home /mnt')).not.toMatch(/ssh|gyre/);
    expect(await shell(first, 'find / -xdev -type b; find /dev -type b')).toBe('');
    expect(await shell(second, 'find /usr -xdev ! -type l ! -perm -o=r')).toBe('');
    expect(await shell(first, 'tail -n +3 /proc/net/dev | cut -d: -f1')).toBe('lo');
    const processes = Number(await shell(first, 'ls -d /proc/[0-9]* | wc -l'));
    expect(processes).toBeLessThan(8);
  });

  it('gives a replaced shell, which leads every program in, no more capabilities', async () => {
    const enclosure = await createEnclosure({ root: 'machine' });
    const fake =
      '#!/usr/bin/bash\n[ -e ~/seen ] || cat /proc/self/status > /home/agent/seen\nexec /usr/bin/bash "$@"\n';
    const put =
      'mkdir /app; printf %s "$FAKE" > /app/fake; chmod 755 /app/fake; rm /usr/bin/dash; mv /app/fake /usr/bin/dash';
    await shell(enclosure, put, { env: { FAKE: fake } });
    await run(enclosure, 'true');
    expect(readFileSync(join(enclosure.homeOnHost, 'seen'), 'utf8')).toMatch(/CapPrm:\s00000000800404fb\n/);
    await enclosure.close();
  });

  it('is as large as the disk of the session', async () => {
    const fill = 'dd if=/dev/zero of=/usr/fill bs=1M count=200 2>&1; rm -f /usr/fill; df -B1 --output=size / | tail -1';
    const text = await shell(first, fill);
    expect(text).toMatch(/No space left/);
    expect(Number(text.split('\n').at(-1))).toBe(2 ** 26);
    expect(await shell(first, 'echo fine > /app/after; cat /app/after')).toBe('fine');
  });

  it('has a home of its own, and standard variables of root', async () => {
    expect(await shell(first, 'echo $HOME $USER; pwd; echo x > made; stat -c %u made')).toBe(
      '/root root\n/home/agent\n0',
    );
    expect(readFileSync(join(first.homeOnHost, 'made'), 'utf8')).toBe('x\n');
  });

  it('leaves nothing behind', async () => {
    const directory = baseDirectory();
    const enclosure = await createEnclosure({ root: 'machine', directory });
    await shell(enclosure, 'mkdir /app; chmod 000 /app; echo x > /usr/x');
    await enclosure.close();
    expect(readdirSync(directory)).toEqual([]);
    rmSync(dirname(directory), { recursive: true });
  });
});

/** A root file system of a few programs of this machine. */
function smallRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'gyre-root-'));
  chmodSync(root, 0o755);
  const names = ['bash', 'cat', 'env', 'id', 'ls', 'mkdir', 'prlimit', 'rm', 'setpriv', 'sh', 'stat', 'true'];
  for (const folder of ['bin', 'etc', 'root']) mkdirSync(join(root, folder));
  for (const name of names) {
    const path = spawnSync('bash', ['-c', `realpath $(type -P ${name})`], { encoding: 'utf8' }).stdout.trim();
    copyFileSync(path, join(root, 'bin', name));
    const needed = spawnSync('ldd', [path], { encoding: 'utf8' }).stdout.matchAll(/(\/\S+) \(/g);
    for (const [, library = ''] of needed) {
      mkdirSync(dirname(join(root, library)), { recursive: true });
      copyFileSync(library, join(root, library));
    }
  }
  return root;
}

describe.skipIf(!possible)(`a root of its own, over a folder${label}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = smallRoot();
    writeFileSync(join(folder, 'etc', 'image'), 'of the image\n');
    // Nothing of the session is mounted where links of an image lead.
    symlinkSync('/etc', join(folder, 'tmp'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('starts from the folder, which stays as it is', async () => {
    const listing = () => spawnSync('find', [folder, '-printf', '%p %s %u %m %T@\\n'], { encoding: 'utf8' }).stdout;
    const before = listing();
    const enclosure = await createEnclosure({ root: folder });
    expect(
      await shell(enclosure, 'cat /etc/image; echo changed > /etc/image; rm /bin/ls; mkdir /app; cat /etc/image'),
    ).toBe('of the image\nchanged');
    expect(
      await shell(enclosure, 'stat -c %F /tmp; stat -c %u /bin/cat; ls /usr/bin/perl 2>/dev/null || echo no'),
    ).toBe('directory\n0\nno');
    await enclosure.close();
    expect(listing()).toBe(before);
    const later = await createEnclosure({ root: folder });
    expect(await shell(later, 'cat /etc/image; ls /app 2>/dev/null || echo no')).toBe('of the image\nno');
    await later.close();
  });

  it('has the variables of a bundle', async () => {
    const bundle = mkdtempSync(join(tmpdir(), 'gyre-bundle-'));
    chmodSync(bundle, 0o755);
    try {
      spawnSync('cp', ['-a', folder, join(bundle, 'rootfs')]);
      const config = {
        root: { path: 'rootfs' },
        process: { env: ['PATH=/opt/mine:/bin', 'GREETING=good day', '=odd'] },
      };
      writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
      const enclosure = await createEnclosure({ root: bundle });
      expect(await shell(enclosure, 'echo "$GREETING $PATH"; cat /etc/profile.d/zz-image.sh')).toBe(
        "good day /opt/mine:/bin\nexport PATH='/opt/mine:/bin'",
      );
      await enclosure.close();
      writeFileSync(join(bundle, 'config.json'), '{"root": {"path": "../.."}}');
      await expect(createEnclosure({ root: bundle })).rejects.toMatchObject({
        code: 'corrupt',
        detail: { field: 'root' },
      });
    } finally {
      rmSync(bundle, { recursive: true });
    }
  });

  it('needs bash, coreutils and util-linux', async () => {
    rmSync(join(folder, 'bin', 'prlimit'));
    await expect(createEnclosure({ root: folder })).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'root' },
    });
  });
});

describe('the root of a session', () => {
  it.each(['/', 'usr', '/usr/../etc', '/nowhere', '/etc/passwd', '../x', '', 'Machine'])('is not %s', async (root) => {
    await expect(createEnclosure({ root })).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'root' } });
  });

  it.each(['podman', 'none'] as const)('is not supported with isolation %s', async (kind) => {
    await expect(createEnclosure({ root: 'machine', isolation: kind })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'root' },
    });
  });

  it('has no user but root', async () => {
    await expect(createEnclosure({ root: 'machine', user: 'user' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'user' },
    });
  });

  it.skipIf(lstatSync('/proc/self').uid === 0)('needs root on the host', async () => {
    await expect(createEnclosure({ root: 'machine' })).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'root' },
    });
  });
});
