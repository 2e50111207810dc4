import { randomUUID } from 'node:crypto';
import { type ControlSocket, EpisodeControl, forkOf, type Policy, runEpisode } from '@gyre/agent';
import type { Lake } from '@gyre/lake';
import type { Episode, EpisodeStart, Task, Turn } from '@gyre/protocol';
import type { Machines } from '@gyre/sandbox';
import { type AnyInstance, openTask } from '@gyre/tasks';

export interface PlayTerms {
  readonly lake: Lake;
  readonly controls: ControlSocket;
  readonly machines: Machines;
  /** Name of the person. */
  readonly player: string;
  /** An episode of the same task, whose first turns are replayed. Default: the person plays all of it. */
  readonly from?: { readonly episode: Episode; readonly turn: number } | undefined;
  readonly signal: AbortSignal;
  readonly onTurn?: ((turn: Turn) => void) | undefined;
}

/** An episode that a person plays. */
export interface PlayedEpisode {
  readonly id: string;
  readonly control: EpisodeControl;
  readonly task: Task;
  readonly over: Promise<Episode>;
}

/**
 * Begins an episode of `human:NAME` in which only that person acts, by the lake's control socket. Resolves once it is in the
 * lake, with the replayed turns.
 *
 * @throws GyreError `bad_input` for a turn that cannot be forked, or a replayed screen that differs; errors of the environment
 */
export async function beginPlaying(instance: AnyInstance, terms: PlayTerms): Promise<PlayedEpisode> {
  const { lake, controls, machines, player, from, signal, onTurn } = terms;
  const id = randomUUID();
  const after = from?.turn ?? 0;
  const control = new EpisodeControl({ player, after });
  const person: Policy = { name: `human:${player}`, decide: () => Promise.resolve({ actions: [] }) };
  // The player never hands over, so it decides nothing but the replayed turns.
  const { policy, fork } = from ? forkOf(from.episode, after, person) : { policy: person };
  const leave = controls.desk.add(id, control);
  const environment = openTask(instance, machines);
  let over: Promise<Episode> | undefined;
  const start = await new Promise<EpisodeStart>((resolve, reject) => {
    let begun: EpisodeStart | undefined;
    let turns = 0;
    const arrive = (): void => {
      if (begun && turns >= after) resolve(begun);
    };
    const stored: Pick<Lake, 'putScreenshot' | 'begin'> = {
      putScreenshot: (png, hash) => lake.putScreenshot(png, hash),
      begin: async (episode) => {
        const writer = await lake.begin(episode);
        begun = episode;
        arrive();
        return writer;
      },
    };
    over = runEpisode({
      ...{ environment, policy, lake: stored, seed: instance.task.seed, id, control, signal },
      ...(fork ? { fork, purpose: 'fork' } : { purpose: 'play' }),
      onTurn: (turn) => {
        turns++;
        arrive();
        onTurn?.(turn);
      },
    }).finally(async () => {
      leave();
      await environment.close().catch(() => undefined);
    });
    over.then(() => reject(new Error('the episode ended before the person had it')), reject);
  });
  return { id, control, task: start.task, over: over! };
}
