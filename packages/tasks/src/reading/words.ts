import { type Session, browserOf } from '@gyre/sandbox';
import { pageFunction } from '../family/pageScript.js';
import type { Word } from './word.js';

/** Measures the visible words of a session's page. Throws `bad_input` without a browser, and while a dialog is open. */
export function wordsOf(session: Session): Promise<Word[]> {
  return browserOf(session).evaluate<Word[]>(`(${pageFunction('reading/words')})()`);
}
