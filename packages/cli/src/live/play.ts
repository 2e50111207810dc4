import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ControlSocket, openControlSocket } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { type Episode, GyreError, type Task, type Turn } from '@gyre/protocol';
import { type isolations, Sandbox } from '@gyre/sandbox';
import { beginPlaying, type PlayedEpisode, type Transcriber } from '@gyre/studio';
import { type AnyInstance, familyOf } from '@gyre/tasks';
import { Cockpit } from './cockpit.js';

/** Lets the page show the outcome. */
const lingerMs = 2_000;

export interface PlayOptions {
  readonly isolation: (typeof isolations)[number];
  /** Port of the page; 0 picks a free one. */
  readonly port: number;
  /** Name of the person. */
  readonly player: string;
  /** Parent of the lake; undefined stores nothing. */
  readonly directory: string | undefined;
  /** Plays one task only. */
  readonly once: boolean;
  readonly transcriber?: Transcriber | undefined;
  readonly signal: AbortSignal;
  readonly onLink: (link: string, task: Task) => void;
  readonly onTurn: (turn: Turn) => void;
  readonly onEnd: (episode: Episode) => void;
}

interface Table {
  readonly sandbox: Sandbox;
  readonly lake: Lake;
  readonly controls: ControlSocket;
}

/**
 * Lets a person play tasks on a page, one after another. Their episodes are in the lake, with the policy `human:NAME`.
 *
 * @param typed yields lines: an answer, which may be empty, ends a task; after its end, any line begins the next one
 * @returns the last episode
 * @throws GyreError `infra` if the sandbox or the page cannot be served; errors of the environment
 */
export async function playByHand(
  first: AnyInstance,
  options: PlayOptions,
  typed: { on(event: 'line', listener: (line: string) => void): unknown },
): Promise<Episode> {
  const { isolation, port, once, signal, transcriber, onEnd, onLink } = options;
  const folder = options.directory ?? (await mkdtemp(join(tmpdir(), 'gyre-play-')));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const lake = await Lake.open(join(folder, 'lake'));
    closing.push(() => lake.close());
    const sandbox = await Sandbox.start({ isolation });
    closing.push(() => sandbox.close());
    const controls = await openControlSocket(lake.directory);
    if (!controls) throw noSocket(folder);
    closing.push(() => controls.close());

    const table = { lake, sandbox, controls };
    let playing: PlayedEpisode;
    let isOver = false;
    let wake: () => void = () => undefined;
    const nextTask = async (): Promise<{ run: string; id: string }> => {
      if (!isOver) {
        throw new GyreError('bad_input', 'this task is not over', { field: 'task', fix: 'finish or stop it first' });
      }
      isOver = false;
      const { family, split, seed, screen } = playing.task;
      playing = await begin(familyOf(family).create(split, seed + 1, screen), table, options).catch(
        (error: unknown) => {
          isOver = true;
          throw error;
        },
      );
      wake();
      return { run: cockpit.run, id: playing.id };
    };
    const cockpit = new Cockpit(folder, { port, nextTask: once ? undefined : nextTask, transcriber });
    closing.push(() => cockpit.close());
    typed.on('line', (line) => {
      const answer = line.trim();
      const finished = { type: 'finished' as const, ...(answer !== '' && { answer }) };
      const done: Promise<unknown> = isOver ? nextTask() : playing.control.act([finished]);
      done.catch(() => undefined);
    });
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

    playing = await begin(first, table, options);
    for (;;) {
      onLink(await cockpit.link(playing.id), playing.task);
      const episode = await playing.over;
      isOver = true;
      onEnd(episode);
      if (once) await Promise.race([pause(lingerMs), aborted]);
      else await Promise.race([new Promise<void>((resolve) => (wake = resolve)), aborted]);
      if (once || signal.aborted) return episode;
    }
  } finally {
    for (const close of closing.toReversed()) await close().catch(() => undefined);
    if (options.directory === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Begins an episode that only the player acts in. */
const begin = (
  instance: AnyInstance,
  { sandbox, ...table }: Table,
  { player, signal, onTurn }: PlayOptions,
): Promise<PlayedEpisode> =>
  beginPlaying(instance, {
    ...{ ...table, player, signal, onTurn },
    machines: { lease: ({ size, machine = 'browser' }) => sandbox.lease({ kind: machine, size }) },
  });

const noSocket = (folder: string): GyreError =>
  new GyreError('infra', `cannot make a socket in ${folder}`, {
    ...{ part: 'disk', field: '--directory', fix: 'choose a folder on a local disk that you may write to' },
  });
