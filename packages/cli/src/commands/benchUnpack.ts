import { unpackImage } from '@gyre/sandbox';
import { z } from 'zod';
import { command } from '../command.js';

export const benchUnpack = command({
  description:
    "Unpacks a container image (an OCI archive, or the output of docker save) into a new folder, with its files' owners, without docker. Sessions have it as a writable root: name it in --roots. Needs root, skopeo and umoci.",
  examples: ['gyre bench unpack regex-log.tar roots/alexgshaw_regex-log_20251031'],
  arguments: [
    { name: 'archive', description: 'image', schema: z.string().min(1), example: 'image.tar' },
    { name: 'folder', description: 'new folder', schema: z.string().min(1), example: 'roots/image' },
  ] as const,
  flags: {},
  async run(_flags, { terminal }, archive, folder) {
    await unpackImage(archive, folder);
    terminal.print(`${archive} is unpacked in ${folder}`);
    return { ok: true, result: { folder } };
  },
});
