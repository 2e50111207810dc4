import { Lake } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { join } from 'node:path';
import { z } from 'zod';
import { openLake } from '@gyre/studio';
import { type Command, command } from '../command.js';
import { outputFolder } from '../flags/flag.js';
import { isUrl, openStore, s3Flags } from '../flags/storeFlags.js';
import { checkPath } from '../flags/checkPath.js';

const copyCommand = (name: 'push' | 'pull', description: string, open: (directory: string) => Promise<Lake>): Command =>
  command({
    description,
    examples: [
      `gyre lake ${name} s3://my-bucket/lakes/first --directory runs/1`,
      `gyre lake ${name} s3://lakes --endpoint http://127.0.0.1:9000`,
    ],
    arguments: [
      {
        name: 'store',
        description: 's3://BUCKET/PREFIX, or a folder',
        schema: z.string().min(1, { error: 'must not be empty' }),
        example: 's3://my-bucket/lakes/first',
        check: (word: string, text: string) => {
          if (!isUrl(text)) checkPath(word, text, name === 'push' ? 'write a folder' : 'read a folder');
        },
      },
    ] as const,
    flags: {
      directory: outputFolder('directory of the lake', { default: 'runs' }),
      ...s3Flags,
    },
    async run({ directory, endpoint, region }, { terminal, signal }, url) {
      const store = openStore(url, { endpoint, region });
      const lake = await open(directory);
      try {
        const progress = terminal.progress(name);
        const onFile = (done: number, of: number) => progress.update(done / of, `${done} of ${of} files`);
        const report = await lake[name](store, { onFile, signal });
        terminal.end();
        const { episodeFiles, screenshots, bytes, known, damaged } = report;
        if (episodeFiles + screenshots + known + damaged.length === 0 && !signal.aborted) {
          const from = name === 'push' ? { field: '--directory', place: directory } : { field: 'store', place: url };
          throw new GyreError('bad_input', `no episodes in ${from.place}`, {
            field: from.field,
            fix: 'name a lake with episodes',
          });
        }
        const copied = `${episodeFiles} files of episodes and ${screenshots} screenshots, ${(bytes / 2 ** 20).toFixed(1)} MiB`;
        terminal.print(`${copied}; ${known} were already there`);
        for (const { file, reason } of damaged) terminal.print(`skipped: ${file} ${reason}`);
        return { ok: damaged.length === 0, result: { ...report } };
      } finally {
        await lake.close();
      }
    },
  });

const keys =
  'Credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), ~/.aws or the instance. Run it again to resume an interrupted copy.';

export const lakePush = copyCommand(
  'push',
  `Copies episodes and screenshots that the store lacks; pools are not copied. Several lakes may push to one store, such as machines that play, and one may pull from it to train. ${keys}`,
  openLake,
);

export const lakePull = copyCommand(
  'pull',
  `Copies episodes and screenshots that the lake lacks, and verifies their hashes. Episodes that were pruned only from the lake come back. ${keys}`,
  // Creates a missing lake.
  (directory) => Lake.open(join(directory, 'lake')),
);
