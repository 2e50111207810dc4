import type { Lake } from '@gyre/lake';
import { SpeechDesk } from './speechDesk.js';
import type { Transcriber } from './transcriber.js';

interface TranscribedLake {
  transcribed: number;
  /** Turns without sound, or with a transcript already. */
  known: number;
  readonly failed: { readonly episode: string; readonly turn: number; readonly message: string }[];
}

/** Transcribes what was recorded at all turns of a run and has no transcript. */
export async function transcribeLake(
  directory: string,
  lake: Lake,
  transcriber: Transcriber,
  signal: AbortSignal,
): Promise<TranscribedLake> {
  const result: TranscribedLake = { transcribed: 0, known: 0, failed: [] };
  const desk = new SpeechDesk(directory, lake, transcriber);
  const stop = (): void => void desk.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await desk.recordings.endIdle();
    for (const episode of (await lake.speech()).keys()) {
      if (signal.aborted) break;
      const before = new Set(
        (await desk.speech(episode)).turns.flatMap(({ turn, state }) => (state === 'transcribed' ? [turn] : [])),
      );
      await desk.transcribe(episode);
      for (const { turn, state, problem } of (await desk.speech(episode)).turns) {
        if (problem) result.failed.push({ episode, turn, message: problem.message });
        else if (state === 'transcribed' && !before.has(turn)) result.transcribed++;
        else result.known++;
      }
    }
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    await desk.close();
  }
}
