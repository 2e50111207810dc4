import { GyreError } from '@gyre/protocol';
import type { EpisodeControl } from '../loop/episodeControl.js';
import type { ControlReply, ControlRequest, ControlVerb, LiveState } from './controlWire.js';

/** A person who is not heard of for so long has left, in ms. */
const absentMs = 30_000;
const lookMs = 5_000;

interface Entry {
  readonly id: string;
  readonly control: EpisodeControl;
  readonly measured: boolean;
  /** The page that has it. */
  viewer: string | undefined;
  heardAt: number;
}

/**
 * Hands the episodes of a process to the people who watch them: one at a time, until they give an episode back or are
 * not heard of for 30 s.
 */
export class ControlDesk {
  readonly #entries = new Map<string, Entry>();
  readonly #timer = setInterval(() => this.#dropAbsent(), lookMs).unref();

  /**
   * Adds an episode.
   *
   * @param measured refuses to let a person take it over, whose success would count as the policy's
   * @returns a function that removes it
   */
  add(id: string, control: EpisodeControl, { measured = false } = {}): () => void {
    this.#entries.set(id, { id, control, measured, viewer: undefined, heardAt: performance.now() });
    return () => this.#entries.delete(id);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#entries.clear();
  }

  /** @param viewer the page that asks, and is still open */
  states(viewer?: string): LiveState[] {
    for (const entry of this.#entries.values()) {
      if (viewer !== undefined && entry.viewer === viewer) entry.heardAt = performance.now();
    }
    return [...this.#entries.values()]
      .filter(({ control }) => control.state !== 'ended')
      .map((entry) => stateOf(entry, viewer));
  }

  /** @throws GyreError `bad_input` for an unknown episode, or while the policy has it */
  screen(id: string): Promise<Uint8Array> {
    return this.#find(id).control.screen();
  }

  /**
   * Does what a person asks for. A take-over is promised at once, and begins after the policy's turn.
   *
   * @throws GyreError `held` while another person has it; `bad_input` in a wrong state; errors of the session
   */
  async ask(id: string, verb: ControlVerb, request: ControlRequest): Promise<ControlReply> {
    const entry = this.#find(id);
    const { control } = entry;
    this.#expectFree(entry, request.viewer);
    if (control.player !== undefined) entry.viewer = request.viewer;
    entry.heardAt = performance.now();
    if (verb === 'act') {
      const { turn, done } = await control.act(expectActions(request));
      return { turn, done };
    }
    if (verb === 'take') this.#take(entry, request);
    else if (verb === 'give') {
      control.handBack(request.note);
      entry.viewer = undefined;
    } else control[verb]();
    return control.state === 'ended' ? {} : { state: stateOf(entry, request.viewer) };
  }

  #take(entry: Entry, { by, viewer }: ControlRequest): void {
    if (entry.measured) {
      throw new GyreError('bad_input', 'an evaluation measures the policy alone', {
        field: 'verb',
        fix: 'fork it after a turn, and take over the fork',
      });
    }
    void entry.control.takeOver(by);
    entry.viewer = viewer;
  }

  #expectFree({ control, viewer }: Entry, asking: string): void {
    if (control.by === undefined || viewer === asking || isUnclaimed(control.player, viewer)) return;
    throw new GyreError('held', `${control.by} has taken over the episode`, {
      field: 'episode',
      fix: 'try again when it is given back; you can still watch it',
    });
  }

  #find(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry && entry.control.state !== 'ended') return entry;
    throw new GyreError('bad_input', `episode ${id} is not being played here`, {
      field: 'episode',
      fix: 'choose one that is still running',
    });
  }

  #dropAbsent(): void {
    const now = performance.now();
    for (const entry of this.#entries.values()) {
      const { control, viewer, heardAt } = entry;
      if (viewer === undefined || now - heardAt < absentMs) continue;
      entry.viewer = undefined;
      if (control.state === 'taken' && control.player === undefined) control.handBack();
    }
  }
}

function stateOf({ id, control, measured, viewer }: Entry, asking: string | undefined): LiveState {
  const { by, state, isWaiting: waiting, player } = control;
  if (state === 'ended') throw new GyreError('bug', 'the episode has ended', { field: 'episode' });
  const mine = by !== undefined && asking !== undefined && (viewer === asking || isUnclaimed(player, viewer));
  return { id, state, waiting, ...(by !== undefined && { by }), mine, played: player !== undefined, measured };
}

/** The first page that a player opens has their episode. */
const isUnclaimed = (player: string | undefined, viewer: string | undefined): boolean =>
  player !== undefined && viewer === undefined;

function expectActions({ actions }: ControlRequest): NonNullable<ControlRequest['actions']> {
  if (actions) return actions;
  throw new GyreError('bad_input', 'actions are missing', { field: 'actions', fix: 'send at least one action' });
}
