import { BrowserPool } from '@gyre/sandbox';
import { describeAction } from '@gyre/protocol';
import { openTask } from '@gyre/tasks';
import { z } from 'zod';
import {
  noEpisode,
  openLake,
  recordedEpisode,
  recordedTask,
  type ReplayResult,
  replayEpisode,
  replayLine,
  type Unverified,
  verify,
} from '@gyre/studio';
import { command, UsageError } from '../command.js';
import { addSuites } from '../families/families.js';
import { addedSuiteFlags } from '../flags/familyFlags.js';
import { count, inputFolder, optionalCount, optionalWord, toggle } from '../flags/flag.js';

export const replay = command({
  description:
    'Repeats the recorded actions on the same task in a fresh browser. Every frame and the verdict must be identical; if not, the exit status is 1 and the first difference is printed. One episode is shown turn by turn; several, chosen by --purpose, --family, --policy and --last, take a line each. Episodes that cannot be replayed, such as those on machines, are skipped and counted.',
  examples: [
    'gyre replay 3f0c1e9a-8a4e-4c83-9d6a-2b7f6a1f8f11',
    'gyre replay --verify --purpose eval --last 50',
    'gyre replay --verify --policy oracle --family form --json',
  ],
  arguments: [
    {
      name: 'episode',
      description: 'episode ids',
      schema: z.string(),
      example: 'an id that gyre run printed',
      several: true,
      optional: true,
    },
  ] as const,
  flags: {
    verify: toggle('print one line per episode; without a selection, of the whole lake'),
    purpose: optionalWord('only episodes with this purpose', { example: 'eval' }),
    family: optionalWord('only tasks of this family', { example: 'form' }),
    policy: optionalWord('only episodes of this policy', { example: 'oracle' }),
    last: optionalCount('only the newest N (default: all)', { example: '50' }),
    sessions: count('parallel episodes', { default: 8 }),
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    ...addedSuiteFlags,
  },
  async run({ directory, suite, miniwob, tasks, sessions, ...flags }, { terminal, signal }, ids) {
    const { purpose, family, policy, last } = flags;
    const chosen = purpose !== undefined || family !== undefined || policy !== undefined || last !== undefined;
    if (ids.length > 0 ? chosen : !chosen && !flags.verify) {
      throw new UsageError(
        ids.length > 0 ? 'episode ids and selecting flags cannot be combined' : 'an episode id is missing',
        {
          field: 'episode',
          fix: 'pass ids or --purpose, --family, --policy, --last; or --verify alone for the whole lake',
        },
      );
    }
    await addSuites({ suite, miniwob, tasks });
    const lake = await openLake(directory);
    try {
      const [id] = ids;
      if (id !== undefined && ids.length === 1 && !flags.verify) {
        const episode = await recordedEpisode(lake, id);
        const instance = recordedTask(episode);
        const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
        try {
          terminal.print(`${instance.task.id}: ${episode.task.instruction}`);
          const environment = openTask(instance, pool);
          const result = await replayEpisode(episode, environment, {
            signal,
            onFrame: (turn, same) => {
              const done = turn ? turn.actions.map(describeAction).join(', ') || 'nothing' : 'first screen';
              const number = String(turn ? turn.index + 1 : 0).padStart(3);
              terminal.print(`${number}  ${done}  ${same ? 'same frame' : 'DIFFERENT FRAME'}`);
            },
          });
          await environment.close();
          terminal.print(replayLine(result));
          return { ok: result.identical && result.sameVerdict, result: { ...result } };
        } finally {
          await pool.close();
        }
      }
      for (const one of ids) await recordedEpisode(lake, one);
      const filter = {
        ...(ids.length > 0 && { ids }),
        ...(purpose !== undefined && { purpose }),
        ...(family !== undefined && { family }),
        ...(policy !== undefined && { policy }),
      };
      const progress = terminal.progress('replay');
      const result = await verify(lake.episodes(filter), {
        ...{ last, sessions, signal },
        onEnd: (end, counts) => {
          terminal.print(endLine(end));
          if (counts.total !== undefined) progress.update(counts.done / counts.total);
        },
      });
      terminal.end();
      const { verified, different, failed, leftOut } = result;
      if (result.episodes.length === 0 && !signal.aborted) throw noEpisode(directory);
      terminal.print(`${verified} verified, ${different} different, ${failed} failed, ${leftOut} skipped`);
      return { ok: verified > 0 && different === 0 && failed === 0, result: { ...result } };
    } finally {
      await lake.close();
    }
  },
});

function endLine(end: ReplayResult | Unverified): string {
  const outcome = 'reason' in end ? `${end.state === 'failed' ? 'failed' : 'skipped'}: ${end.reason}` : replayLine(end);
  return `${end.episode}  ${end.task}  ${outcome}`;
}
