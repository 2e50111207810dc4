import { command } from '../command.js';
import { inputFolder, toggle } from '../flag.js';
import { openLake } from '../openLake.js';

export const lakeCheck = command({
  name: 'check',
  summary: 'finds what is damaged or missing, and sets it aside',
  description:
    'Reads every byte of the lake: Parquet files by the checksum in their names, screenshots by their content, episodes by their schema and for the screenshots that they show. Episodes that dead processes left unfinished are brought in, cut, as by every command. With --repair, what is damaged is moved to the folder damaged, where nobody reads it; of a Parquet file the episodes that are whole stay. Exit status 1 if something was found that is not there.',
  examples: ['gyre lake check', 'gyre lake check --directory runs/2 --repair --json'],
  flags: {
    directory: inputFolder('where the lake is', { default: 'runs', mayBeMissing: true }),
    repair: toggle('move to damaged what is damaged'),
  },
  async run({ directory, repair }, { terminal }) {
    const lake = await openLake(directory);
    try {
      const { episodes, cut, damaged, setAside } = await lake.check({ repair });
      const { recovered } = lake;
      if (recovered > 0) terminal.print(`${recovered} episodes of processes that have died were brought in`);
      for (const { file, reason, setAside: place } of damaged) {
        terminal.print(`${file}: ${reason}${place === undefined ? '' : `; set aside: ${place}`}`);
      }
      const open = damaged.filter((each) => each.setAside === undefined).length;
      terminal.print(`${episodes} episodes, ${cut} of them cut; ${open} damaged; ${setAside.length} files set aside`);
      if (open > 0 && !repair) terminal.print('gyre lake check --repair sets aside what is damaged');
      return { ok: open === 0, result: { episodes, cut, recovered, damaged, setAside } };
    } finally {
      await lake.close();
    }
  },
});
