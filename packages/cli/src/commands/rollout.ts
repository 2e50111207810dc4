import { command } from '../command.js';
import { agentFaultLines, givenUpLines, leftOutLines } from '../eval/evalTable.js';
import { chosenFamilies, splitNames } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count, name, oneOf, outputFolder, toggle } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { openPolicy, policyFlags } from '../policies/policies.js';
import { isComplete, playRollouts, defaultSessions } from '@gyre/training';
import { searchBy, searchFlags } from '../flags/search.js';
import { share } from '../terminal/resultTable.js';
import { table } from '../terminal/table.js';

export const rolloutFlags = {
  ...familyFlags(),
  episodes: count('episodes per family', { default: 100 }),
  from: count('seed of the first task', { default: 0, min: 0 }),
  size: optionalSize('screen in px, for families with several (default: the usual one of each)'),
  sessions: count('parallel episodes', { default: defaultSessions }),
  browsers: count('browser processes', { default: 2 }),
  directory: outputFolder('directory of the lake', { default: 'runs', unless: 'discard' }),
  discard: toggle('store no episodes'),
  ...searchFlags,
};

export const rollout = command({
  examples: [
    'gyre rollout --policy oracle --family click,form --episodes 200',
    'gyre rollout --policy random --suite widgets --episodes 20',
  ],
  flags: {
    ...policyFlags,
    ...rolloutFlags,
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of the tasks', { default: 'train' }),
    purpose: name('purpose stored with each episode', { default: 'rollout' }),
  },
  async run(flags, { terminal, signal, seed }) {
    const families = await chosenFamilies(flags);
    const opened = await openPolicy(flags);
    try {
      const progress = terminal.progress('rollout');
      const directory = flags.discard ? undefined : flags.directory;
      const plan = { ...flags, families, directory, seed, searchOf: searchBy(flags) };
      const { failure, ...played } = await playRollouts(plan, opened, {
        signal,
        progress,
        onLeftOut: (leftOut) => {
          for (const line of leftOutLines(leftOut)) terminal.log(line);
        },
      });
      terminal.end();
      const rows = played.results.map((result) => [
        result.family,
        String(result.n),
        share(result),
        String(result.givenUp),
        String(result.infraErrors),
      ]);
      for (const line of table(['family', 'episodes', 'success', 'given up', 'infra errors'], rows))
        terminal.print(line);
      for (const line of [
        ...agentFaultLines(played.counts),
        ...givenUpLines(played.givenUp),
        ...leftOutLines(played.leftOut),
        ...(opened.statistics?.() ?? []),
      ])
        terminal.print(line);
      return { ok: isComplete(played, plan), result: { ...played }, failure };
    } finally {
      await opened.close();
    }
  },
});
