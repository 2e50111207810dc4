import type { Lake } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { type AnyInstance, familyOf, freeFamily, taskOf } from '@gyre/tasks';

/** @throws GyreError `bad_input` if it does not run on a page: only there do the same actions give the same frames. */
export function recordedTask({ task, origin }: Pick<Episode, 'task' | 'origin'>): AnyInstance {
  const refused = (message: string, fix: string) => new GyreError('bad_input', message, { field: 'episode', fix });
  const otherEpisode = 'use an episode of a task on a page, such as one of `gyre run click/test/7`';
  if (task.family === freeFamily) {
    throw refused(
      `it has no task, only an instruction ("${task.instruction}"): the initial state of its page or desktop cannot be restored`,
      otherEpisode,
    );
  }
  let instance: AnyInstance;
  try {
    instance = taskOf(task.id);
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    if (origin) throw refused(`it was imported (${origin.format}, ${origin.source}) without its task`, otherEpisode);
    throw refused(
      `its task ${task.id} is unknown: ${error.message}`,
      'add its suite: --suite for a module, --miniwob for MiniWoB++, --tasks for a pool',
    );
  }
  if (familyOf(task.family).kind === undefined) return instance;
  throw refused(`${task.family} runs on a machine, where frames are not reproducible`, otherEpisode);
}

export async function recordedEpisode(lake: Lake, id: string): Promise<Episode> {
  for await (const episode of lake.episodes({ ids: [id] })) return episode;
  throw new GyreError('bad_input', `no episode ${id} in the lake`, {
    field: 'episode',
    fix: 'use an id that gyre run printed, or another --directory',
  });
}
