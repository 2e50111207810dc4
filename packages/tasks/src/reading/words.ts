import { type Session, browserOf } from '@gyre/sandbox';
import { pageFunction } from '../family/pageScript.js';
import type { Word } from './word.js';

/** Measures the visible words of a session's page. Throws `bad_input` without a browser, and while a dialog is open. */
export async function wordsOf(session: Session): Promise<Word[]> {
  const browser = browserOf(session);
  const words = await browser.evaluate<Word[] | null>('globalThis.gyreWords ? gyreWords() : null');
  return words ?? browser.evaluate<Word[]>(`(${pageFunction('reading/words')})()`);
}
