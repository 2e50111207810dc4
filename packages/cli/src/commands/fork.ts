import { TaskSessions } from '@gyre/agent';
import { type Episode, GyreError, isCopied } from '@gyre/protocol';
import { wilson } from '@gyre/training';
import { z } from 'zod';
import { forkEpisode, openLake, recordedEpisode, recordedTask } from '@gyre/studio';
import { command, UsageError } from '../command.js';
import { addSuites } from '../families/families.js';
import { addedSuiteFlags } from '../flags/familyFlags.js';
import { count, inputFolder, optionalCount } from '../flags/flag.js';
import { openPolicy, policyFlags } from '../policies/policies.js';
import { searchBy, searchFlags } from '../flags/search.js';
import { share } from '../terminal/resultTable.js';
import { turnLine } from '../terminal/turnLine.js';

export const fork = command({
  description:
    'Replays the first turns of an episode, then lets a policy continue: another one, or the same with other seeds. Every replayed frame must be identical; a difference is an error that names the turn. The new episodes name their origin. Their copied turns are never trained on.',
  examples: [
    'gyre fork 3f0c1e9a-8a4e-4c83-9d6a-2b7f6a1f8f11 --turn 3 --policy oracle',
    'gyre fork 3f0c1e9a-8a4e-4c83-9d6a-2b7f6a1f8f11 --turn 3 --attempts 8',
  ],
  arguments: [
    { name: 'episode', description: 'episode id', schema: z.string(), example: 'an id that gyre run printed' },
  ] as const,
  flags: {
    ...policyFlags,
    ...searchFlags,
    turn: optionalCount('number of turns to keep', { min: 0, example: '3' }),
    attempts: count('number of continuations, each with another seed', { default: 1 }),
    sessions: count('parallel attempts', { default: 4 }),
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    ...addedSuiteFlags,
  },
  async run({ directory, suite, miniwob, tasks, turn, attempts, sessions, ...flags }, { terminal, signal, seed }, id) {
    if (turn === undefined) {
      throw new UsageError('--turn is missing', { field: '--turn', fix: 'add the number of turns to keep: --turn 3' });
    }
    await addSuites({ suite, miniwob, tasks });
    const lake = await openLake(directory);
    const pool = new TaskSessions({ browsers: 1, sessionsPerBrowser: sessions, signal });
    try {
      const from = await recordedEpisode(lake, id);
      recordedTask(from);
      const search = searchOf(from, flags);
      const opened = await openPolicy(flags);
      try {
        const { policy, screenshots } = opened;
        const terms = { lake, pool, turn, attempts, seed, policy, screenshots, sessions, search, signal };
        terminal.print(`${from.task.id}: ${from.task.instruction}`);
        const was = `${from.policy} ${outcome(from)} after ${from.turns.length} turns`;
        terminal.print(`${was}; ${policy.name} continues after ${turn}`);
        const ended: Episode[] = [];
        for await (const episode of forkEpisode(from, terms)) {
          ended.push(episode);
          if (attempts === 1)
            for (const each of episode.turns) if (!isCopied(episode, each)) terminal.print(turnLine(each));
          terminal.print(`episode ${episode.id}  ${outcome(episode)} after ${episode.turns.length} turns`);
        }
        const solved = wilson(ended.filter(({ verdict }) => verdict?.success).length, ended.length);
        if (attempts > 1) terminal.print(`solved ${share(solved)} of ${ended.length} attempts`);
        for (const line of opened.statistics?.() ?? []) terminal.print(line);
        const result = {
          ...{ episode: id, turn, policy: opened.policy.name, attempts: ended.length, ...solved },
          episodes: ended.map(({ id, end, verdict, turns }) => ({ episode: id, end, verdict, turns: turns.length })),
        };
        return { ok: ended.length === attempts, result };
      } finally {
        await opened.close();
      }
    } finally {
      await Promise.allSettled([pool.close(), lake.close()]);
    }
  },
});

/** Returns the search service of the replayed turns, whichever policy continues. */
function searchOf(
  { id, task, policy }: Episode,
  flags: Parameters<typeof searchBy>[0],
): ReturnType<ReturnType<typeof searchBy>> {
  const searched = task.surfaces.includes('search');
  if (searched && flags.search === undefined) {
    throw new GyreError('bad_input', `episode ${id} used search`, {
      field: '--search',
      fix: 'add --search tasks or the URL of a SearXNG, as when it was recorded',
    });
  }
  return searchBy({ ...flags, model: flags.model ?? (searched ? policy : undefined) })(task);
}

function outcome({ verdict, end }: Episode): string {
  return verdict ? `${verdict.success ? 'success' : 'failed'}, score ${verdict.score.toFixed(2)},` : end.state;
}
