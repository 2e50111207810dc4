import { exportEpisodes, exportFormats, poolStages } from '@gyre/lake';
import { turnFormatNames } from '@gyre/protocol';
import { hasEpisode, noEpisode, openLake } from '@gyre/studio';
import { command } from '../command.js';
import { count, inputFolder, oneOf, optionalWord, outputFolder, toggle } from '../flags/flag.js';

export const lakeExport = command({
  description:
    'Writes the episodes of one split to a new folder. atif: one document per episode, with its screenshots. sft: the messages that UI-TARS trains on, per turn, with loss masks. jsonl, parquet: one row per turn, with a card for datasets.load_dataset. verl: one prompt per task. desktop: replays for UI-TARS-desktop.',
  examples: [
    'gyre lake export --format atif --output atif',
    'gyre lake export --format sft --turns ui-tars-1.5 --successful --output sft',
    'gyre lake export --format parquet --split dev --output dataset',
  ],
  flags: {
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    output: outputFolder('output folder, new or empty', { default: 'exported' }),
    format: oneOf(exportFormats, 'output format', { default: 'atif' }),
    split: oneOf(['train', 'dev', 'test'], 'split of the tasks', { default: 'train' }),
    purpose: optionalWord('only episodes with this purpose', { example: 'eval' }),
    family: optionalWord('only tasks of this family', { example: 'form' }),
    policy: optionalWord('only episodes of this policy', { example: 'oracle' }),
    pool: oneOf(
      ['none', ...poolStages],
      'only episodes in this pool, such as sft with what people annotated and others accepted',
      {
        default: 'none',
      },
    ),
    successful: toggle('only episodes whose verdict is success'),
    turns: oneOf(turnFormatNames, 'turn format in sft and verl', { default: 't5' }),
    window: count('screenshots per sft sample', { default: 5 }),
  },
  async run(
    { directory, output, format, split, purpose, family, policy, pool, successful, turns, window },
    { terminal },
  ) {
    const lake = await openLake(directory);
    try {
      const filter = {
        split,
        ...(purpose !== undefined && { purpose }),
        ...(family !== undefined && { family }),
        ...(policy !== undefined && { policy }),
        ...(successful && { success: true }),
      };
      if (!(await hasEpisode(lake, filter))) throw noEpisode(directory);
      const report = await exportEpisodes(lake, output, filter, {
        ...{ format, turns, window },
        pool: pool === 'none' ? undefined : pool,
      });
      terminal.print(`${report.episodes} episodes, ${report.rows} ${nouns[format]}: ${output}`);
      if (report.unsayable > 0) terminal.print(`skipped: ${report.unsayable} turns that ${turns} cannot express`);
      return { ok: report.episodes > 0, result: { output, format, ...report } };
    } finally {
      await lake.close();
    }
  },
});

const nouns: Readonly<Record<(typeof exportFormats)[number], string>> = {
  atif: 'documents',
  desktop: 'documents',
  sft: 'samples',
  jsonl: 'rows',
  parquet: 'rows',
  verl: 'rows',
};
