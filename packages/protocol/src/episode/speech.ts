import { z } from 'zod';
import { AudioClip, ContentHash } from './episode.js';

const episode = z.string().min(1);
const time = z.iso.datetime();
/** The turn by its number and its time: a turn that replaces a retracted one is another. */
const turn = { turn: z.int().nonnegative(), turnAt: time };

/** Speech of a person who played, beside an episode that may have ended. */
export const SpeechEntry = z.discriminatedUnion('type', [
  z.strictObject({
    ...{ type: z.literal('recording'), episode },
    /** Name of the person who speaks. */
    by: z.string().min(1),
    /** When it began. */
    at: time,
    /** SHA-256 of the recording, which is WebM with Opus. */
    hash: ContentHash,
    durationMs: z.number().positive(),
  }),
  /** Speech recognition of a turn. The last one of the same clips counts. */
  z.strictObject({
    ...{ type: z.literal('transcript'), episode, ...turn, at: time },
    clips: z.array(AudioClip).min(1),
    transcript: z.string(),
    model: z.string().min(1),
  }),
  /** A person's text of what they said at a turn; empty: nothing. The last one counts. */
  z.strictObject({
    ...{ type: z.literal('wording'), episode, ...turn, at: time },
    by: z.string().min(1),
    text: z.string(),
  }),
]);
export type SpeechEntry = z.infer<typeof SpeechEntry>;
