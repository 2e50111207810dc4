import { FolderStore, Lake, S3Store } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import { join } from 'node:path';
import { z } from 'zod';
import { type Command, command } from '../command.js';
import { optionalWord, outputFolder } from '../flag.js';
import { openLake } from '../openLake.js';
import { expectPlace } from '../place.js';

const isUrl = (store: string): boolean => store.includes(':/');

const way = (name: 'push' | 'pull', description: string, open: (directory: string) => Promise<Lake>): Command =>
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
          if (!isUrl(text)) expectPlace(word, text, name === 'push' ? 'write a folder' : 'read a folder');
        },
      },
    ] as const,
    flags: {
      directory: outputFolder('where the lake is', { default: 'runs' }),
      endpoint: optionalWord('of a service that is not Amazon’s (default: AWS_ENDPOINT_URL)', {
        example: 'http://127.0.0.1:9000',
      }),
      region: optionalWord('of the bucket (default: AWS_REGION, else us-east-1)', { example: 'eu-west-1' }),
    },
    async run({ directory, endpoint, region }, { terminal, signal }, url) {
      const store = isUrl(url) ? new S3Store({ url, endpoint, region }) : new FolderStore(url);
      const lake = await open(directory);
      try {
        const progress = terminal.progress(name);
        const onFile = (done: number, of: number) => progress.update(done / of, `${done} of ${of} files`);
        const report = await lake[name](store, { onFile, signal });
        terminal.end();
        const { episodeFiles, screenshots, bytes, known, damaged } = report;
        if (episodeFiles + screenshots + known + damaged.length === 0 && !signal.aborted) {
          const from = name === 'push' ? { field: '--directory', place: directory } : { field: 'store', place: url };
          throw new GyreError('bad_input', `there is no episode in ${from.place}`, {
            field: from.field,
            fix: 'name a lake that has some',
          });
        }
        const copied = `${episodeFiles} files of episodes and ${screenshots} screenshots, ${(bytes / 2 ** 20).toFixed(1)} MiB`;
        terminal.print(`${copied}; ${known} were there already`);
        for (const { file, reason } of damaged) terminal.print(`left out: ${file} ${reason}`);
        return { ok: damaged.length === 0, result: { ...report } };
      } finally {
        await lake.close();
      }
    },
  });

const keys =
  'Keys come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), ~/.aws or the machine, as Amazon’s tools have them. What was broken off goes on when it is said again.';

export const lakePush = way(
  'push',
  `Copies episodes and screenshots that the store does not have yet. Several lakes may be pushed to one store: machines that play, and one that pulls and trains. ${keys} Pools stay here.`,
  openLake,
);

export const lakePull = way(
  'pull',
  `Copies episodes and screenshots that the lake does not have yet, each proved by its name. Episodes that were pruned here and not there come back. ${keys}`,
  // Of whoever has none yet it is the first.
  (directory) => Lake.open(join(directory, 'lake')),
);
