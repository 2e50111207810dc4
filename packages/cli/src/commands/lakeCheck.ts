import { command } from '../command.js';
import { inputFolder, toggle } from '../flag.js';
import { openLake } from '../openLake.js';

export const lakeCheck = command({
  description:
    'Reads every byte of the lake: Parquet files by the checksum in their names and by the manifest, screenshots by their content, episodes by their schema and for the screenshots that they show. The manifest also shows which files are missing. Episodes that dead processes left unfinished are brought in, cut, as by every command. With --repair, damaged files are moved to the folder damaged, where nobody reads them; of a Parquet file the whole episodes stay. A renamed file gets its name back, and the manifest then lists what is there: a loss is reported once more and accepted. Exit status 1 if damage was found and not repaired.',
  examples: ['gyre lake check', 'gyre lake check --directory runs/2 --repair --json'],
  flags: {
    directory: inputFolder('where the lake is', { default: 'runs', mayBeMissing: true }),
    repair: toggle('move damaged files to damaged, and accept what is lost'),
  },
  async run({ directory, repair }, { terminal }) {
    const lake = await openLake(directory);
    try {
      const { episodes, cut, damaged, setAside, older } = await lake.check({ repair });
      const { recovered } = lake;
      if (recovered > 0) terminal.print(`${recovered} episodes of processes that have died were brought in`);
      for (const { file, reason, setAside: place, accepted } of damaged) {
        const outcome = place === undefined ? (accepted ? '; accepted' : '') : `; set aside: ${place}`;
        terminal.print(`${file}: ${reason}${outcome}`);
      }
      if (older !== undefined) {
        terminal.print(`${older} files are in no manifest: if one is deleted, nothing tells; --repair lists them`);
      }
      const open = damaged.filter((each) => each.setAside === undefined && !each.accepted).length;
      terminal.print(`${episodes} episodes, ${cut} of them cut; ${open} damaged; ${setAside.length} files set aside`);
      if (open > 0 && !repair) terminal.print('gyre lake check --repair sets damaged files aside and accepts losses');
      return {
        ok: open === 0,
        result: { episodes, cut, recovered, damaged, setAside, ...(older !== undefined && { older }) },
      };
    } finally {
      await lake.close();
    }
  },
});
