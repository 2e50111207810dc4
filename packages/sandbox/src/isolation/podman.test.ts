import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { byPodman } from './builders.test.support.js';
import { createEnclosure, type EnclosureOptions } from './createEnclosure.js';
import type { Enclosure } from './enclosure.js';
import { podmanBuilder } from './podman.js';
import { readProcessIdentity } from './processIdentity.js';
import { collectOrphans } from './sessionDirectory.js';
import { imageFiles } from './systemFiles.js';
import { IsolatedEnclosure } from './isolatedEnclosure.js';
import type { IsolationPlan } from './isolationBuilder.js';
import { baseDirectory, shell } from './within.test.support.js';

let directory: string;
beforeEach(() => {
  directory = baseDirectory();
});
afterEach(() => rmSync(dirname(directory), { recursive: true }));

const podman = (...args: string[]) => {
  const { stdout, stderr, status } = spawnSync('podman', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`podman ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};

function makeImage(name: string, programs: readonly string[], prepare: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'gyre-image-'));
  try {
    for (const path of ['usr/bin', 'usr/lib', 'usr/lib64', 'etc']) mkdirSync(join(root, path), { recursive: true });
    for (const path of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${path}`, join(root, path));
    prepare(root);
    const script = `set -e; for p in "$@"; do cp -L "$(command -v $p)" usr/bin/; ldd "$(command -v $p)"; done |
      grep -o '/[^ ]*' | sort -u | while read -r f; do mkdir -p ".$(dirname $f)"; cp -L "$f" ".$f"; done
      tar -c . | podman import --quiet - ${name}`;
    const imported = spawnSync('bash', ['-c', script, 'bash', ...programs], { cwd: root, encoding: 'utf8' });
    if (imported.status !== 0) throw new Error(imported.stderr);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe.skipIf(byPodman.isolation.kind === 'none')(`an image ${byPodman.label}`, () => {
  const enough = `localhost/gyre-test-${process.pid}`;
  const little = `localhost/gyre-test-little-${process.pid}`;
  beforeAll(() => {
    const programs = ['bash', 'sh', 'env', 'setpriv', 'cat', 'id', 'ls', 'readlink', 'prlimit'];
    makeImage(enough, programs, (root) => {
      writeFileSync(join(root, 'etc', 'os-release'), 'ID=gyre-test\n');
      writeFileSync(join(root, 'etc', 'passwd'), 'somebody:x:1000:1000::/:/bin/false\n');
      symlinkSync('/etc/shadow', join(root, 'etc', 'sly'));
      symlinkSync('/root', join(root, 'sly'));
    });
    makeImage(little, ['bash'], () => undefined);
  });
  afterAll(() => {
    for (const image of [enough, little]) {
      podman('image', 'unmount', '--force', image);
      podman('image', 'rm', image);
    }
  });

  it('is the system inside, and nothing of the host is', async () => {
    const enclosure = await createEnclosure({ isolation: 'podman', image: enough, directory });
    try {
      expect(await shell(enclosure, 'cat /etc/os-release; id -un; pwd; cat /etc/hostname')).toBe(
        'ID=gyre-test\nagent\n/home/agent\ngyre',
      );
      expect(await shell(enclosure, 'ls /usr/bin/perl /usr/share /etc/ssl 2>/dev/null || echo no')).toBe('no');
      expect(
        await shell(enclosure, 'readlink /sly /etc/sly; cat /etc/sly 2>/dev/null || echo no; ls /sly/ || echo no'),
      ).toBe('/root\n/etc/shadow\nno\nno');
      expect(await shell(enclosure, '(echo x > /usr/bin/x) 2>/dev/null || echo no; echo y > ~/y; cat ~/y')).toBe(
        'no\ny',
      );
    } finally {
      await enclosure.close();
    }
  });

  it('that lacks programs, is missing, or has no podman is refused with a fix', async () => {
    const refused = (options: EnclosureOptions) =>
      createEnclosure({ directory, ...options }).then(
        (made: Enclosure) => made.close(),
        (error: unknown) => error,
      );
    expect(await refused({ isolation: 'podman', image: little })).toMatchObject({
      code: 'missing',
      detail: { field: 'image', fix: expect.stringContaining('util-linux') as string },
    });
    expect(await refused({ isolation: 'podman', image: 'localhost/gyre-no-such-image' })).toMatchObject({
      code: 'bad_input',
      detail: { field: 'image', fix: expect.stringContaining('podman pull localhost/gyre-no-such-image') as string },
    });
    expect(await refused({ isolation: 'podman', image: '--all' })).toMatchObject({ code: 'bad_input' });
    expect(await refused({ isolation: 'bubblewrap', image: enough })).toMatchObject({ code: 'bad_input' });
  });
});

it('an image that is not what it should be shows nothing of the host', () => {
  const root = mkdtempSync(join(tmpdir(), 'gyre-image-'));
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('/usr', join(root, 'usr'));
  mkdirSync(join(root, 'proc'));
  expect(imageFiles(root)).toEqual([
    { kind: 'link', path: '/usr', to: '/usr' },
    { kind: 'folder', path: '/etc' },
  ]);
  rmSync(root, { recursive: true });
});

describe.skipIf(byPodman.isolation.kind === 'none')(`isolation ${byPodman.label}`, () => {
  it('leaves no container when its supervisor was killed', async () => {
    const enclosure = await IsolatedEnclosure.create({ directory }, byPodman.builder);
    const name = `gyre-${process.pid}-${enclosure.directory.name}`;
    const inspect = (format: string) => podman('inspect', '--format', format, name);
    const conmon = Number(inspect('{{.State.ConmonPid}}'));
    const first = Number(inspect('{{.State.Pid}}'));
    expect(readFileSync(`/proc/${conmon}/cmdline`, 'utf8')).toContain('conmon');
    process.kill(conmon, 'SIGKILL');
    process.kill(first, 'SIGKILL');
    await expect.poll(() => readProcessIdentity(first)).toBe(null);
    await enclosure.close();
    expect(podman('ps', '--all', '--quiet', '--filter', `name=^${name}$`)).toBe('');
    expect(await collectOrphans(directory)).toBe(0);
  });

  it('refuses paths that podman would misread', async () => {
    const odd = join(dirname(directory), 'a,dst=b');
    mkdirSync(odd);
    await expect(IsolatedEnclosure.create({ directory, readable: [odd] }, byPodman.builder)).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'readable' },
    });
  });
});

describe('without podman', () => {
  it.skipIf(process.getuid?.() !== 0)('says what to install', () => {
    const programs = join(dirname(directory), 'programs');
    mkdirSync(programs);
    for (const name of ['sh', 'unshare', 'mount', 'umount', 'rm', 'chmod', 'chown', 'perl', 'true']) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
      symlinkSync(stdout.trim(), join(programs, name));
    }
    const module = (name: string) => JSON.stringify(join(fileURLToPath(import.meta.url), '..', name));
    const script = `import { createEnclosure } from ${module('createEnclosure.js')};
      import { hostEnv } from ${module('hostEnv.js')};
      hostEnv.PATH = ${JSON.stringify(programs)};
      const options = { isolation: 'podman', directory: ${JSON.stringify(directory)} };
      const ask = (more) => createEnclosure({ ...options, ...more }).catch(({ code, detail: { field, fix } }) => ({ code, field, fix }));
      console.log(JSON.stringify([await ask({}), await ask({ image: 'any' })]));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const refusal = {
      code: 'missing',
      field: 'isolation',
      fix: expect.stringContaining('install podman crun') as string,
    };
    expect(JSON.parse(stdout)).toEqual([refusal, refusal]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is refused to ordinary users, with a fix', async () => {
    const user = vi.spyOn(process, 'getuid').mockReturnValue(1000);
    const refused = podmanBuilder().start({} as IsolationPlan);
    user.mockRestore();
    await expect(refused).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'isolation', fix: expect.stringContaining('bubblewrap') as string },
    });
  });
});
