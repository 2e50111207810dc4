import { protectedPurposes } from '@gyre/lake';
import { openLake } from '@gyre/studio';
import { command } from '../command.js';
import { inputFolder, optionalCount, optionalPositive, optionalWords, toggle } from '../flags/flag.js';

const gigabyte = 1e9;

export const lakePrune = command({
  description:
    "Prints what would be deleted; --yes deletes it. Episodes beyond --keep-days, --keep-episodes or --max-gb are deleted, the oldest first. Episodes with a protected purpose, and those in a pool, are kept. Recordings and texts of people's speech go with their episodes. A screenshot is deleted if no episode refers to it and it is over an hour old. Other processes may read and write meanwhile. Exits with 1 if the lake stays larger than --max-gb.",
  examples: [
    'gyre lake prune --keep-days 30',
    'gyre lake prune --max-gb 20 --yes',
    'gyre lake prune --keep-episodes 10000 --protect eval,imported --yes',
  ],
  flags: {
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    keepDays: optionalPositive('delete episodes older than N days', { example: '30' }),
    keepEpisodes: optionalCount('keep only the newest N unprotected episodes', {
      min: 0,
      example: '10000',
    }),
    maxGb: optionalPositive('delete the oldest until the lake takes N * 10^9 bytes', { example: '20' }),
    protect: optionalWords(
      `protected purposes, by their first word, or none (default: ${protectedPurposes.join(',')})`,
      {
        example: 'eval,demonstration',
      },
    ),
    pooled: toggle('also delete episodes in pools of a flywheel, which later cycles then lack'),
    yes: toggle('delete'),
  },
  async run({ directory, keepDays, keepEpisodes, maxGb, protect, pooled, yes }, { terminal }) {
    const lake = await openLake(directory);
    try {
      const report = await lake.prune({
        ...(keepDays !== undefined && { keepDays }),
        ...(keepEpisodes !== undefined && { keepEpisodes }),
        ...(maxGb !== undefined && { maxBytes: maxGb * gigabyte }),
        ...(protect !== undefined && { protect: protect.join() === 'none' ? [] : protect }),
        pooled,
        dryRun: !yes,
      });
      const { episodes, screenshots, recordings, bytes } = report;
      const says = yes ? 'dropped' : 'would drop';
      terminal.print(`${says} ${episodes.dropped} of ${episodes.before} episodes; ${episodes.protected} are protected`);
      terminal.print(`${says} ${screenshots.dropped} of ${screenshots.before} screenshots`);
      if (recordings.dropped > 0) terminal.print(`${says} ${recordings.dropped} recordings of people`);
      terminal.print(`the lake: ${size(bytes.before)}, ${yes ? 'now' : 'then'} ${size(bytes.after)}`);
      const fits = maxGb === undefined || bytes.after <= maxGb * gigabyte;
      if (!fits) terminal.print('protected and recent files alone exceed --max-gb');
      if (!yes) terminal.print('nothing was deleted: add --yes');
      return { ok: fits, result: { ...report, done: yes } };
    } finally {
      await lake.close();
    }
  },
});

function size(bytes: number): string {
  return bytes < gigabyte / 10 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / gigabyte).toFixed(2)} GB`;
}
