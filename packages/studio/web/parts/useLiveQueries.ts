import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { StudioEvent, TrainingAnswer } from '../../src/server/trainingWire.js';
import type { LiveCard } from '../../src/server/liveWire.js';
import type { EpisodeRow, RunEntry } from '../../src/server/wire.js';
import { withUpdate } from '../../src/runs/updates.js';
import { useStream } from './stream.js';

const readAgainMs = { wall: 100, table: 1_000, runs: 5_000, facets: 10_000 };

/** Keeps what the pages show up to date with the events of the runs. */
export function useLiveQueries(): void {
  const client = useQueryClient();
  const [again] = useState(() => new Stale(client));
  useEffect(() => () => again.stop(), [again]);
  useStream((event) => take(client, again, event));
}

function take(client: QueryClient, again: Stale, event: StudioEvent): void {
  if (event.type === 'missed') {
    void client.invalidateQueries();
    return;
  }
  if (event.type === 'following') {
    // Events between the first answers and this one were not sent.
    for (const name of ['running', 'training', 'summary', 'wall', 'live']) again.mark([name], 0);
    return;
  }
  const { run } = event;
  const running = (change: (rows: readonly EpisodeRow[]) => EpisodeRow[]): void => {
    client.setQueryData<EpisodeRow[]>(['running', run], (rows) => rows && change(rows));
  };
  switch (event.type) {
    case 'run.progress': {
      client.setQueryData(['summary', run], event.summary);
      client.setQueryData<TrainingAnswer>(['training', run], (known) => known && { ...known, ...event.summary });
      again.mark(['training', run], readAgainMs.table);
      const runs = client.getQueryData<RunEntry[]>(['runs']);
      if (runs && !runs.some(({ name }) => name === run)) again.mark(['runs'], readAgainMs.table);
      return;
    }
    case 'update':
      client.setQueryData<TrainingAnswer>(
        ['training', run],
        (known) => known && { ...known, updates: withUpdate(known.updates, event.update) },
      );
      return;
    case 'episode.begin':
      again.mark(['wall'], readAgainMs.wall);
      running((rows) => [event.episode, ...rows.filter(({ id }) => id !== event.episode.id)]);
      again.mark(['runs'], readAgainMs.runs);
      return;
    case 'episode.turn':
      running((rows) =>
        rows.map((row) =>
          row.id === event.id ? { ...row, turns: event.turn + 1, reward: row.reward + event.reward } : row,
        ),
      );
      client.setQueryData<LiveCard[]>(['wall'], (cards) => cards?.map((card) => withTurn(card, event)));
      again.mark(['episode', run, event.id], 0);
      again.mark(['live', run, event.id], 0);
      return;
    case 'episode.control':
      again.mark(['wall'], readAgainMs.wall);
      again.mark(['live', run, event.id], 0);
      return;
    case 'episode.retract':
      running((rows) => rows.map((row) => (row.id === event.id ? { ...row, turns: event.turns } : row)));
      again.mark(['episode', run, event.id], 0);
      again.mark(['wall'], readAgainMs.wall);
      again.mark(['live', run, event.id], 0);
      return;
    case 'episode.end':
      running((rows) => rows.filter(({ id }) => id !== event.id));
      again.mark(['episode', run, event.id], 0);
      again.mark(['wall'], readAgainMs.wall);
      again.mark(['live', run, event.id], 0);
      again.mark(['episodes', run], readAgainMs.table);
      again.mark(['runs'], readAgainMs.runs);
      again.mark(['facets', run], readAgainMs.facets);
  }
}

/** Returns a card of the wall after a turn. */
function withTurn(card: LiveCard, event: Extract<StudioEvent, { type: 'episode.turn' }>): LiveCard {
  if (card.run !== event.run || card.id !== event.id) return card;
  const { turn, by, words, reward, screenshot } = event;
  // A turn whose observation is replaced is told again.
  const isNew = turn >= card.turns + card.personTurns;
  return {
    ...card,
    turns: card.turns + (isNew && by === undefined ? 1 : 0),
    personTurns: card.personTurns + (isNew && by !== undefined ? 1 : 0),
    reward: card.reward + (isNew ? reward : 0),
    ...{ last: words.join(', '), screenshot },
  };
}

/** Reads queries again, however many events come, at most once in a time. */
class Stale {
  readonly #client: QueryClient;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(client: QueryClient) {
    this.#client = client;
  }

  mark(queryKey: QueryKey, afterMs: number): void {
    const name = JSON.stringify(queryKey);
    if (this.#timers.has(name)) return;
    const read = (): void => {
      this.#timers.delete(name);
      void this.#client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    };
    this.#timers.set(name, setTimeout(read, afterMs));
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
