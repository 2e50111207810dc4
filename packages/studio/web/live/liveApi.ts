import { useQuery } from '@tanstack/react-query';
import type { AgentAction } from '@gyre/protocol';
import type { LiveAnswer, LiveCard, NextTask } from '../../src/server/liveWire.js';
import { pathOf, read, send } from '../api.js';

export type { LiveAnswer, LiveCard, LiveStatus, LiveTurn } from '../../src/server/liveWire.js';

/** Interval of looking for changes without events: a process that pauses itself, a person who left. */
const lookMs = 5_000;
/** Interval for a screen that moves between turns. */
const handsOnMs = 400;

const viewerName = 'gyre-studio-viewer';
const personName = 'gyre-studio-person';

/** Names this page: whoever has taken an episode over keeps it when the page is reloaded. */
const viewer = sessionStorage.getItem(viewerName) ?? crypto.randomUUID();
sessionStorage.setItem(viewerName, viewer);

export const person = {
  get name(): string {
    return localStorage.getItem(personName) ?? '';
  },
  set name(name: string) {
    localStorage.setItem(personName, name);
  },
};

const liveOf = (run: string, id: string): string => `${pathOf(run)}/live/${encodeURIComponent(id)}`;

export type Verb = 'pause' | 'resume' | 'step' | 'stop' | 'take' | 'act' | 'give';

export const liveApi = {
  ask: async (
    run: string,
    id: string,
    verb: Verb,
    more: { readonly actions?: readonly AgentAction[]; readonly note?: string } = {},
  ): Promise<void> => {
    const name = person.name.trim();
    await send(`${liveOf(run, id)}/${verb}`, { viewer, by: name === '' ? 'a person' : name, ...more });
  },
  next: async () => (await send('/api/live/next', {})).json() as Promise<NextTask>,
  screen: async (run: string, id: string, signal: AbortSignal): Promise<Blob> =>
    (await send(`${liveOf(run, id)}/screen`, undefined, signal)).blob(),
};

/** Follows all episodes that are being played. */
export const useLiveCards = () =>
  useQuery({
    queryKey: ['wall'],
    queryFn: ({ signal }) => read<LiveCard[]>('/api/live', signal),
    refetchInterval: lookMs,
  });

export const liveKey = (run: string, id: string): readonly string[] => ['live', run, id];

/** Follows an episode until it ends. */
export const useLiveEpisode = (run: string, id: string) =>
  useQuery({
    queryKey: liveKey(run, id),
    queryFn: ({ signal }) => read<LiveAnswer>(`${liveOf(run, id)}?viewer=${viewer}`, signal),
    refetchInterval: ({ state: { data } }) => (data?.status === 'ended' ? false : lookMs),
  });

/** Follows the screen between turns, while a person has a session whose time does not stand still. */
export const useMovingScreen = (run: string, id: string, isOn: boolean) =>
  useQuery({
    queryKey: ['live-screen', run, id],
    queryFn: ({ signal }) => liveApi.screen(run, id, signal),
    refetchInterval: handsOnMs,
    enabled: isOn,
    gcTime: 0,
    retry: false,
  });
