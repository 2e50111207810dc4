import { Lake } from '@gyre/lake';
import { type Episode, GyreError, isSdkCall } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { sessionKindOf, startTask } from '@gyre/tasks';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../command.js';
import { describe } from '../describe.js';
import { miniwobFlag, readMiniwob, taskOf } from '../families.js';
import { path } from '../flag.js';

export const replay = command({
  name: 'replay',
  summary: 'plays an episode of the lake again and compares every frame',
  description:
    'Carries out the recorded actions on the same task in a new browser. Frames must be the same bit for bit and the verdict must be the same; otherwise the exit status is 1 and the first difference is named.',
  examples: ['gyre replay 3f0c1e9a-8a4e-4c83-9d6a-2b7f6a1f8f11'],
  arguments: [
    { name: 'episode', description: 'id of an episode', schema: z.string(), example: 'an id that gyre run printed' },
  ] as const,
  flags: { directory: path('where the lake is', { default: 'runs' }), miniwob: miniwobFlag },
  async run({ directory, miniwob }, { terminal, signal }, id) {
    const episode = await find(join(directory, 'lake'), id);
    readMiniwob(miniwob);
    const instance = taskOf(episode.task.id);
    if (sessionKindOf(instance.task.family) !== 'page') {
      throw new GyreError(
        'bad_input',
        `${instance.task.family} is played on a machine, where frames are not the same again`,
        {
          field: 'episode',
          fix: 'replay an episode of a family that is played on a page',
        },
      );
    }
    const { task } = instance;
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      terminal.print(`${task.id}: ${episode.task.instruction}`);
      const session = await pool.lease({ size: task.screen });
      const started = await startTask(session, instance);
      /** Index of the first turn whose frame differs; -1 is the first screen. */
      let firstDifference: number | undefined;
      const compare = async (turn: number, recorded: string) => {
        const { hash } = await session.screen.observe();
        if (hash !== recorded) firstDifference ??= turn;
        return hash === recorded ? 'same frame' : 'ANOTHER FRAME';
      };
      terminal.print(`  0  first screen  ${await compare(-1, episode.observation.screenshot)}`);
      for (const { index, actions, observation } of episode.turns) {
        signal.throwIfAborted();
        for (const action of actions) {
          if (action.type === 'finished' || action.type === 'call_user') break;
          // On a page those are refused or look things up: the screen knows nothing of them.
          if (isSdkCall(action)) continue;
          // An action that was refused then is refused now; that is part of what is compared.
          await session.screen.act(action).catch((error: unknown) => {
            if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
          });
        }
        const same = await compare(index, observation.screenshot);
        await started.step(actions.find((action) => action.type === 'finished'));
        terminal.print(`${String(index + 1).padStart(3)}  ${actions.map(describe).join(', ') || 'nothing'}  ${same}`);
      }
      const verdict = await started.verdict();
      await session.release();
      const sameVerdict = episode.verdict === undefined || episode.verdict.success === verdict.success;
      const identical = firstDifference === undefined;
      terminal.print(
        identical && sameVerdict
          ? `identical: ${episode.turns.length + 1} frames, ${verdict.success ? 'success' : 'failed'}`
          : `different${identical ? '' : `, first after turn ${(firstDifference ?? 0) + 1}`}${sameVerdict ? '' : ', and so is the verdict'}`,
      );
      const result = { episode: id, turns: episode.turns.length, identical, firstDifference, verdict, sameVerdict };
      return { ok: identical && sameVerdict, result };
    } finally {
      await pool.close();
    }
  },
});

async function find(directory: string, id: string): Promise<Episode> {
  const lake = await Lake.open(directory);
  try {
    for await (const episode of lake.episodes({ ids: [id] })) return episode;
  } finally {
    await lake.close();
  }
  throw new GyreError('bad_input', `there is no episode ${id} in ${directory}`, {
    field: 'episode',
    fix: 'take an id that gyre run printed, or name another folder by --directory',
  });
}
