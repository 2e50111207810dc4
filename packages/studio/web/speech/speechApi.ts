import { useQuery } from '@tanstack/react-query';
import type { AudioClip } from '@gyre/protocol';
import type { ClockAnswer, SpeechAnswer } from '../../src/server/speechWire.js';
import { pathOf, read, send } from '../api.js';

export type { SpeechAnswer } from '../../src/server/speechWire.js';

const lookMs = 1_500;
/** While nothing has been said. */
const idleLookMs = 10_000;
const clockTries = 5;

const speechOf = (run: string, episode: string): string => `${pathOf(run)}/speech/${encodeURIComponent(episode)}`;

/** A recording that is being sent. */
export interface Sending {
  readonly run: string;
  readonly episode: string;
  readonly recording: string;
}
const recordingOf = ({ run, episode, recording }: Sending): string =>
  `${speechOf(run, episode)}/recordings/${recording}`;

export const speechApi = {
  of: (run: string, episode: string, signal: AbortSignal) => read<SpeechAnswer>(speechOf(run, episode), signal),
  chunk: (sending: Sending, number: number, terms: Readonly<Record<'by' | 'at', string>>, bytes: Blob) =>
    send(`${recordingOf(sending)}/chunks/${number}?${new URLSearchParams(terms).toString()}`, bytes),
  end: (sending: Sending, count: number) => send(`${recordingOf(sending)}/end`, { count }),
  transcribe: async (run: string, episode: string): Promise<SpeechAnswer> =>
    (await send(`${speechOf(run, episode)}/transcribe`, {})).json() as Promise<SpeechAnswer>,
  write: async (
    run: string,
    episode: string,
    turn: number,
    body: { text: string; by: string },
  ): Promise<SpeechAnswer> =>
    (await send(`${speechOf(run, episode)}/turns/${turn}`, body)).json() as Promise<SpeechAnswer>,
  audio: async (run: string, { hash, fromMs, toMs }: AudioClip, signal: AbortSignal): Promise<Blob> =>
    (await send(`${pathOf(run)}/audio/${hash}?fromMs=${fromMs}&toMs=${toMs}`, undefined, signal)).blob(),
};

/** Returns how far the server's clock is ahead of `performance.now()`, in ms: the answer that came fastest counts. */
export async function serverClock(): Promise<number> {
  let best = { took: Infinity, ahead: 0 };
  for (let tries = 0; tries < clockTries; tries++) {
    const sent = performance.now();
    const { now } = await read<ClockAnswer>('/api/clock');
    const took = performance.now() - sent;
    if (took < best.took) best = { took, ahead: now - (sent + took / 2) };
  }
  return best.ahead;
}

export const speechKey = (run: string, episode: string): readonly string[] => ['speech', run, episode];

/** Reads what was said at an episode; follows it while it is played or transcribed. */
export const useSpeech = (run: string, episode: string, isLive: boolean) =>
  useQuery({
    queryKey: speechKey(run, episode),
    queryFn: ({ signal }) => speechApi.of(run, episode, signal),
    refetchInterval: ({ state: { data } }) => {
      const isBusy = data?.turns.some(({ state }) => state === 'transcribing') === true;
      if (isBusy) return lookMs;
      return isLive && (data?.recordings.length ?? 0) > 0 ? lookMs : isLive && idleLookMs;
    },
    retry: false,
  });
