import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const types = { file: '0', link: '1', symlink: '2', device: '3', folder: '5', pax: 'x' };

/** Returns a tar of entries `{ name, type, content, target, uid, mode }`, with whatever names they have. */
export function tarOf(entries) {
  const parts = entries.flatMap(
    ({ name, type = 'file', content = Buffer.alloc(0), target = '', uid = 0, mode = 0o755 }) => {
      const header = Buffer.alloc(512);
      const octal = (value, at, length) => header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
      header.write(name.slice(0, 100), 0);
      octal(mode, 100, 8);
      octal(uid, 108, 8);
      octal(uid, 116, 8);
      octal(content.length, 124, 12);
      octal(0, 136, 12);
      header.write(' '.repeat(8), 148);
      header.write(types[type], 156);
      header.write(target.slice(0, 100), 157);
      header.write('ustar\u000000', 257, 'latin1');
      if (type === 'device') {
        octal(1, 329, 8);
        octal(3, 337, 8);
      }
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
    },
  );
  return Buffer.concat([...parts, Buffer.alloc(1_024)]);
}

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

const configOf = (layers) => ({
  ...{ architecture: process.arch === 'x64' ? 'amd64' : process.arch, os: 'linux' },
  config: { Env: ['PATH=/usr/bin:/bin', 'GREETING=hello'] },
  rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha(layer)}`) },
});

/** Returns an OCI archive of layers, which are tars. */
export function ociArchive(layers, { format = 'gzip', zip = (layer) => gzipSync(layer, { level: 1 }) } = {}) {
  const blobs = new Map();
  const add = (bytes, mediaType) => {
    blobs.set(sha(bytes), bytes);
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${sha(bytes)}`, size: bytes.length };
  };
  const json = (value) => Buffer.from(JSON.stringify(value));
  const config = add(json(configOf(layers)), 'config.v1+json');
  const zipped = layers.map((layer) => add(zip(layer), `layer.v1.tar+${format}`));
  const manifest = add(json({ schemaVersion: 2, config, layers: zipped }), 'manifest.v1+json');
  return tarOf([
    { name: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', content: json({ schemaVersion: 2, manifests: [manifest] }) },
    ...[...blobs].map(([name, content]) => ({ name: `blobs/sha256/${name}`, content })),
  ]);
}

/** Returns what `docker save` writes. */
export function dockerArchive(layers) {
  const config = Buffer.from(JSON.stringify(configOf(layers)));
  const names = layers.map((layer) => `${sha(layer)}/layer.tar`);
  const manifest = [{ Config: `${sha(config)}.json`, RepoTags: ['image:latest'], Layers: names }];
  return tarOf([
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) },
    { name: `${sha(config)}.json`, content: config },
    ...layers.map((content, index) => ({ name: names[index], content })),
  ]);
}

/** Returns an OCI archive with layers in zstd. */
export const zstdArchive = (layers) =>
  ociArchive(layers, { format: 'zstd', zip: (input) => execFileSync('zstd', ['-c'], { input, maxBuffer: 2 ** 30 }) });

/** Returns the entries of a sparse file: PAX's version 1.0 of GNU's format, with one byte of content at the end of a hole. */
export function sparseFile(name, size) {
  const record = (key, value) => {
    const rest = ` ${key}=${value}\n`;
    const length = rest.length + String(rest.length + 2).length;
    return `${length}${rest}`;
  };
  const fields = { major: 1, minor: 0, name, realsize: size };
  const pax = Object.entries(fields).map(([key, value]) => record(`GNU.sparse.${key}`, value));
  const content = Buffer.alloc(513);
  content.write(`1\n${size - 1}\n1\n`);
  return [
    { name: `PaxHeaders/${name}`, type: 'pax', content: Buffer.from(pax.join('')) },
    { name: `GNUSparseFile.0/${name}`, content },
  ];
}
