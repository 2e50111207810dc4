// Unpacks images in each format: layers with whiteouts, links and owners; hostile ones by hand and at random, which must change nothing outside
// the folder; and a system of this machine's programs, in which a session runs. Needs root, skopeo, umoci, zstd and bubblewrap.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Sandbox, unpackImage } from '../../packages/sandbox/dist/index.js';
import { dockerArchive, ociArchive, sparseFile, tarOf, zstdArchive } from './images/imageTar.mjs';

const text = (content) => Buffer.from(content);

export async function images(expectEqual) {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-images-check-'));
  let count = 0;
  /** Returns the root file system, or the error's code. */
  const unpack = async (layers, archiveOf = ociArchive, options = {}) => {
    const place = join(folder, `${++count}`);
    await writeFile(`${place}.tar`, archiveOf(layers.map(tarOf)));
    try {
      await unpackImage(`${place}.tar`, place, options);
      return join(place, 'rootfs');
    } catch (error) {
      return error.code ?? error.message;
    }
  };
  try {
    for (const archiveOf of [ociArchive, zstdArchive, dockerArchive]) await checkLayers(expectEqual, unpack, archiveOf);
    await checkHostile(expectEqual, unpack, folder);
    const bomb = [{ name: 'zeros', content: Buffer.alloc(2 ** 26) }];
    for (const archiveOf of [ociArchive, dockerArchive]) {
      expectEqual(
        `${archiveOf.name}: an image over the limit is refused`,
        await unpack([bomb], archiveOf, { maxBytes: 2 ** 20 }),
        'bad_input',
      );
    }
    await checkLimits(expectEqual, unpack);
    expectEqual('a file that is no image is refused', await unpack([], () => text('no image')), 'bad_input');
    const remains = (await readdir(folder)).filter((name) => name.includes('partial'));
    expectEqual('nothing is left of refused images', remains, []);
    await checkSession(expectEqual, unpack);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkLayers(expectEqual, unpack, archiveOf) {
  const lower = [
    { name: 'kept/', type: 'folder' },
    { name: 'kept/file', content: text('1'), uid: 1_234, mode: 0o640 },
    { name: 'kept/linked', type: 'link', target: 'kept/file' },
    { name: 'kept/removed', content: text('2') },
    { name: 'opaque/', type: 'folder' },
    { name: 'opaque/removed', content: text('3') },
    { name: 'symlink', type: 'symlink', target: '/kept/file' },
    { name: 'null', type: 'device' },
  ];
  const upper = [
    { name: 'kept/.wh.removed' },
    { name: 'opaque/.wh..wh..opq' },
    { name: 'opaque/new', content: text('4') },
  ];
  const root = await unpack([lower, upper], archiveOf);
  const names = await readdir(root, { recursive: true });
  const expected = ['kept', 'kept/file', 'kept/linked', 'opaque', 'opaque/new', 'symlink'];
  expectEqual(`${archiveOf.name}: files, whiteouts and no device`, names.sort(), expected);
  const [file, linked] = await Promise.all(['file', 'linked'].map((name) => stat(join(root, 'kept', name))));
  expectEqual(
    `${archiveOf.name}: owner, mode and hard link`,
    [file.uid, file.mode & 0o777, file.ino === linked.ino],
    [1_234, 0o640, true],
  );
  expectEqual(`${archiveOf.name}: a symlink is as in the image`, await readlink(join(root, 'symlink')), '/kept/file');
  expectEqual(`${archiveOf.name}: only root may enter`, (await stat(dirname(root))).mode & 0o777, 0o700);
}

/** Layers whose tar is within the limit. */
async function checkLimits(expectEqual, unpack) {
  const maxBytes = 2 ** 26;
  const holes = Array.from({ length: 40 }, (_, index) => sparseFile(`hole${index}`, maxBytes / 2)).flat();
  const root = await unpack([sparseFile('hole', maxBytes / 2)], ociArchive, { maxBytes });
  expectEqual('a sparse file is unpacked', (await stat(join(root, 'hole'))).size, maxBytes / 2);
  expectEqual('sparse files over the limit are refused', await unpack([holes], ociArchive, { maxBytes }), 'bad_input');
  const deep = Array.from({ length: 500 }, (_, index) => ({ name: `${index}/${'d/'.repeat(45)}`, type: 'folder' }));
  expectEqual('deep paths over the limit are refused', await unpack([deep], ociArchive, { maxBytes }), 'bad_input');
  const many = Array.from({ length: 2_000 }, (_, index) => ({ name: `file${index}` }));
  const maxInodes = 1_000;
  expectEqual('too many files are refused', await unpack([many], dockerArchive, { maxInodes }), 'bad_input');
}

async function checkHostile(expectEqual, unpack, folder) {
  const outside = join(folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  const state = async () => {
    const names = await readdir(outside);
    const { nlink, mode, mtimeMs } = await lstat(join(outside, 'secret')).catch(() => ({}));
    const passwd = await stat('/etc/passwd');
    const above = (await readdir(folder)).filter((name) => !/^\d+(\.tar)?$/.test(name));
    return JSON.stringify([
      names,
      nlink,
      mode,
      mtimeMs,
      passwd.nlink,
      passwd.mtimeMs,
      passwd.mode,
      above,
      existsSync('/evil'),
    ]);
  };
  const before = await state();
  const evil = { name: 'evil', content: text('evil') };
  const escapes = ['/', '..', outside, '../../outside', '/proc/self/root'];
  const cases = [
    [{ ...evil, name: '../evil' }],
    [{ ...evil, name: '../../../../../../evil' }],
    [{ ...evil, name: '/evil' }],
    [{ ...evil, name: `..${outside}/evil` }],
    [{ name: 'evil', type: 'link', target: '/etc/passwd' }],
    [{ name: 'evil', type: 'link', target: `../../..${outside}/secret` }],
    [{ name: '.wh...' }],
    [{ name: '../.wh.outside' }],
    [{ name: '.', type: 'symlink', target: outside }, { ...evil }],
    ...escapes.map((target) => [
      { name: 'way', type: 'symlink', target },
      { ...evil, name: 'way/evil' },
      { name: 'way/.wh.secret' },
      { name: 'way/secret', type: 'link', target: 'way/secret' },
    ]),
  ];
  for (const entries of cases) await unpack([entries]);
  expectEqual(`${cases.length} hostile images change nothing outside`, await state(), before);
  const layout = ociArchive([tarOf([evil])]).subarray(0, -1_024);
  const around = [
    [
      { name: 'way', type: 'symlink', target: outside },
      { ...evil, name: 'way/evil' },
    ],
    [
      { name: 'blobs/way', type: 'symlink', target: outside },
      { ...evil, name: 'blobs/way/evil' },
    ],
    [{ ...evil, name: `blobs/../../..${outside}/evil` }],
    [{ name: 'blobs/evil', type: 'link', target: join(outside, 'secret') }],
  ];
  for (const entries of around) await unpack([], () => Buffer.concat([layout, tarOf(entries)]));
  expectEqual(`${around.length} hostile OCI archives change nothing outside`, await state(), before);
  // Names that lead out of a folder, in any order and over two layers.
  let seed = 1;
  const random = (count) => (seed = (seed * 48_271) % 2_147_483_647) % count;
  const words = [
    'a',
    'b',
    '..',
    '.',
    outside.slice(1),
    'secret',
    '.wh.secret',
    '.wh..wh..opq',
    'evil',
    'etc',
    'passwd',
  ];
  const path = () =>
    `${random(3) === 0 ? '/' : ''}${Array.from({ length: 1 + random(4) }, () => words[random(words.length)]).join('/')}`;
  const kinds = ['file', 'folder', 'symlink', 'link', 'device'];
  const entry = () => ({
    name: path(),
    type: kinds[random(kinds.length)],
    target: random(2) === 0 ? path() : outside,
    content: undefined,
  });
  const layer = () => Array.from({ length: 1 + random(8) }, entry);
  const ends = new Set();
  for (let run = 0; run < 40; run++) {
    const end = await unpack([layer(), layer()]);
    ends.add(end.startsWith('/') ? 'unpacked' : end);
  }
  expectEqual('40 random images are unpacked or refused', [...ends].sort(), ['bad_input', 'unpacked']);
  expectEqual('40 random images change nothing outside', await state(), before);
}

/** Makes an image of this machine's bash, dash, coreutils and util-linux. */
async function checkSession(expectEqual, unpack) {
  const list = execFileSync('dpkg', ['--listfiles', 'bash', 'dash', 'coreutils', 'util-linux'], { encoding: 'utf8' });
  const programs = list.split('\n').filter((path) => /^(\/usr)?\/s?bin\/[^/]+$/.test(path));
  const binaries = programs.filter((path) => readFileSync(path).subarray(0, 4).toString('latin1') === '\x7fELF');
  const linked = execFileSync('sh', ['-c', `ldd ${binaries.join(' ')} 2>/dev/null || true`], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  const libraries = [...new Set([...linked.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1]))];
  const entries = ['bin', 'sbin', 'lib', 'lib64'].map((name) => ({ name, type: 'symlink', target: `usr/${name}` }));
  const merged = (path) => (path.startsWith('/usr/') ? path : `/usr${path}`).slice(1);
  for (const path of [...programs, ...libraries])
    entries.push({ name: merged(path), content: await readFile(realpathSync(path)) });
  for (const name of ['etc/', 'tmp/', 'root/', 'var/', 'proc/', 'dev/', 'usr/']) entries.push({ name, type: 'folder' });
  entries.push({ name: 'etc/passwd', content: text('root:x:0:0:root:/root:/bin/bash\n') });
  entries.push({ name: 'etc/group', content: text('root:x:0:\n') });
  entries.push({ name: 'greeting', content: text('of the image\n'), mode: 0o644 });
  const root = await unpack([entries], dockerArchive);
  const sandbox = await Sandbox.start();
  try {
    const session = await sandbox.lease({ kind: 'shell', root: dirname(root) });
    const { stdout, stderr, exitCode } = await session.shell.run(
      'echo $GREETING; id -u; cat /greeting; echo changed > /greeting; mkdir /app && cat /greeting',
    );
    expectEqual(
      'a session in the unpacked image writes as root',
      [stdout, stderr, exitCode],
      ['hello\n0\nof the image\nchanged\n', '', 0],
    );
  } finally {
    await sandbox.close();
  }
  expectEqual('the image is not changed', await readFile(join(root, 'greeting'), 'utf8'), 'of the image\n');
}
