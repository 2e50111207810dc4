import { TaskSessions } from '@gyre/agent';
import { GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { type AnyFamily, type AnyInstance, openTask } from '@gyre/tasks';
import { writeFile } from 'node:fs/promises';
import { command } from '../command.js';
import { contactSheet, type Tile } from '@gyre/studio';
import { chosenFamilies, splitNames, suiteNameOf } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count, oneOf, outputFile, toggle } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { unplayableReason } from '@gyre/training';

export const sheet = command({
  examples: ['gyre tasks sheet --suite games --out games.png', 'gyre tasks sheet --suite apps --groups --out apps.png'],
  flags: {
    ...familyFlags('all'),
    out: outputFile('output PNG', { default: 'tasks.png' }),
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of the tasks', { default: 'test' }),
    from: count('seed of the tasks', { default: 0, min: 0 }),
    size: optionalSize('screen in px, for families with several (default: the usual one of each)'),
    groups: toggle('only the first family of each prefix, such as mail.*'),
  },
  async run({ out, split, from, size, groups, ...flags }, { terminal, signal }) {
    const chosen = await chosenFamilies(flags, 'all');
    const families = (groups ? firstOfGroups(chosen) : chosen).filter((family) => {
      const reason = unplayableReason(family, false);
      if (reason !== undefined) terminal.log(`${family.name} is skipped: ${reason}`);
      return reason === undefined;
    });
    if (families.length === 0) {
      const fix = 'choose other families, or run `gyre doctor` to see what to install';
      throw new GyreError('missing', 'none of these families runs on this machine', { field: '--family', fix });
    }
    const sessions = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1, signal });
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      const progress = terminal.progress('sheet');
      const tiles = new Map<string, Tile[]>();
      for (const [index, family] of families.entries()) {
        signal.throwIfAborted();
        progress.update(index / families.length, family.name);
        const suite = suiteNameOf(family.name);
        tiles.set(suite, [...(tiles.get(suite) ?? []), await tileOf(sessions, family.create(split, from, size))]);
      }
      const sections = [...tiles].map(([title, of]) => ({ title, tiles: of }));
      await writeFile(out, await contactSheet(pool, sections));
      terminal.end();
      terminal.print(`${families.length} families: ${out}`);
      return { ok: true, result: { out, families: families.map(({ name }) => name) } };
    } finally {
      await Promise.all([pool.close(), sessions.close()]);
    }
  },
});

async function tileOf(sessions: TaskSessions, instance: AnyInstance): Promise<Tile> {
  const environment = openTask(instance, sessions);
  const { png, size } = await environment.reset();
  const { task } = environment;
  await environment.close();
  return { title: task.family, text: task.instruction, png, size };
}

function firstOfGroups(families: readonly AnyFamily[]): AnyFamily[] {
  const groups = new Map<string, AnyFamily>();
  for (const family of families) {
    const group = family.name.split('.')[0]!;
    if (!groups.has(group)) groups.set(group, family);
  }
  return [...groups.values()];
}
