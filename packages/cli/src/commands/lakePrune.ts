import { protectedPurposes } from '@gyre/lake';
import { command } from '../command.js';
import { inputFolder, optionalCount, optionalPositive, optionalWords, toggle } from '../flag.js';
import { openLake } from '../openLake.js';

const gigabyte = 1e9;

export const lakePrune = command({
  description:
    'Says what would go; with --yes it goes. An episode goes where any of --keep-days, --keep-episodes and --max-gb says so, the oldest first; episodes of protected purposes stay, and those that a pool names. A screenshot goes when no episode shows it and nobody has stored it in an hour. Other processes may read and write meanwhile. Exit status 1 if the lake is larger than --max-gb nevertheless.',
  examples: [
    'gyre lake prune --keep-days 30',
    'gyre lake prune --max-gb 20 --yes',
    'gyre lake prune --keep-episodes 10000 --protect eval,imported --yes',
  ],
  flags: {
    directory: inputFolder('where the lake is', { default: 'runs', mayBeMissing: true }),
    keepDays: optionalPositive('episodes that began longer ago go', { example: '30' }),
    keepEpisodes: optionalCount('of those that are not protected, only so many of the youngest stay', {
      min: 0,
      example: '10000',
    }),
    maxGb: optionalPositive('the oldest go until the lake takes up so many times 10^9 bytes', { example: '20' }),
    protect: optionalWords(
      `first words of the purposes of episodes that stay, or none (default: ${protectedPurposes.join(',')})`,
      {
        example: 'eval,demonstration',
      },
    ),
    pooled: toggle('episodes go too that a pool of a flywheel names; its later cycles then do without them'),
    yes: toggle('do it'),
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
      const { episodes, screenshots, bytes } = report;
      const says = yes ? 'dropped' : 'would drop';
      terminal.print(`${says} ${episodes.dropped} of ${episodes.before} episodes; ${episodes.protected} are protected`);
      terminal.print(`${says} ${screenshots.dropped} of ${screenshots.before} screenshots`);
      terminal.print(`the lake: ${size(bytes.before)}, ${yes ? 'now' : 'then'} ${size(bytes.after)}`);
      const fits = maxGb === undefined || bytes.after <= maxGb * gigabyte;
      if (!fits) terminal.print('what is protected, or of this hour, takes up more than --max-gb');
      if (!yes) terminal.print('nothing has been done yet: add --yes');
      return { ok: fits, result: { ...report, done: yes } };
    } finally {
      await lake.close();
    }
  },
});

function size(bytes: number): string {
  return bytes < gigabyte / 10 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / gigabyte).toFixed(2)} GB`;
}
