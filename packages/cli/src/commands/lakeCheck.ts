import { openLake } from '@gyre/studio';
import { command } from '../command.js';
import { inputFolder, toggle } from '../flags/flag.js';

export const lakeCheck = command({
  description:
    'Reads every byte of the lake: Parquet files against their checksums and the manifest, screenshots against their hashes, episodes against their schema and their screenshots. Files that the manifest lists must exist. With --repair, damaged files move to the folder damaged, intact episodes of a damaged Parquet file are kept, a renamed file gets its name back, and the manifest lists the files that exist. Exits with 1 if damage was found and not repaired.',
  examples: ['gyre lake check', 'gyre lake check --directory runs/2 --repair --json'],
  flags: {
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    repair: toggle('move damaged files to the folder damaged, and accept the loss'),
  },
  async run({ directory, repair }, { terminal }) {
    const lake = await openLake(directory);
    try {
      const { episodes, cut, damaged, setAside, older } = await lake.check({ repair });
      const { recovered } = lake;
      if (recovered > 0) terminal.print(`recovered ${recovered} episodes of dead processes`);
      for (const { file, reason, setAside: place, accepted } of damaged) {
        const outcome = place === undefined ? (accepted ? '; accepted' : '') : `; set aside: ${place}`;
        terminal.print(`${file}: ${reason}${outcome}`);
      }
      if (older !== undefined) {
        terminal.print(`${older} files are not in the manifest, so their loss would go unnoticed; --repair adds them`);
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
