import type { Frame, Reading } from '@gyre/protocol';
import { type Session, browserOf } from '@gyre/sandbox';
import { Random } from '../family/random.js';
import type { ReadingNoise } from './noise.js';
import { paddleV4Noise } from './readerNoise.js';
import { simulatedReading } from './simulated.js';
import { wordsOf } from './words.js';

/**
 * Returns a reader that derives readings from a session's page. The same screen and seed have the same errors. While a
 * dialog is open, which hides the page from scripts, there is no reading.
 */
export function pageReader(
  seed: number,
  noise: Partial<ReadingNoise> = {},
): (session: Session, frame: Frame) => Promise<Reading | undefined> {
  const full = { ...paddleV4Noise, ...noise };
  return async (session, { hash, size }) => {
    if (browserOf(session).page.asks !== undefined) return undefined;
    return simulatedReading(await wordsOf(session), size, new Random(`${hash}/${seed}`), full);
  };
}
