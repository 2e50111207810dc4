import { z } from 'zod';
import type { EpisodeSpeech } from '../speech/speechDesk.js';

export interface SpeechAnswer extends EpisodeSpeech {
  /** Model that transcribes; null without one. */
  readonly transcriber: string | null;
}

/** Tells the time of the server, in ms since 1970. */
export interface ClockAnswer {
  readonly now: number;
}

export const ChunkQuery = z.strictObject({ by: z.string().trim().min(1).max(60), at: z.iso.datetime() });
/** Chunks are numbered from 0. */
export const ChunkNumber = z.coerce.number().int().min(0).max(99_999);
export const RecordingId = z.uuid();
export const EndRequest = z.strictObject({ count: z.int().min(1) });
export const WordingRequest = z.strictObject({ text: z.string().max(20_000), by: z.string().trim().min(1).max(60) });

const ms = z.coerce.number().nonnegative();
/** Without a part: all of it. */
export const ClipQuery = z.strictObject({ fromMs: ms.default(0), toMs: ms.optional() });
