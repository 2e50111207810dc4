import type { Frame, Reading } from '@gyre/protocol';
import { type Session, browserOf } from '@gyre/sandbox';
import type { ReadingNoise } from './noise.js';
import { ownNoise } from './readerNoise.js';
import { simulatedReading } from './simulated.js';
import { wordsOf } from './words.js';

/**
 * Returns a reader that derives readings from a session's page. While a dialog is open, which hides the page from
 * scripts, there is no reading.
 *
 * @param seed of the errors
 */
export function pageReader(
  seed: number,
  noise: Partial<ReadingNoise> = {},
): (session: Session, frame: Frame) => Promise<Reading | undefined> {
  const full = { ...ownNoise, ...noise };
  return async (session, { size }) => {
    if (browserOf(session).page.asks !== undefined) return undefined;
    return simulatedReading(await wordsOf(session), size, String(seed), full);
  };
}
