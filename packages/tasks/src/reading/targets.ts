import type { PixelBox, Point } from '@gyre/protocol';
import { type Session, browserOf } from '@gyre/sandbox';
import { pageFunction } from '../family/pageScript.js';

/**
 * Returns the box of the interactive element at each point of a session's page; null where there is none, as on a
 * canvas or while a dialog is open.
 */
export async function targetsOf(session: Session, points: readonly Point[]): Promise<(PixelBox | null)[]> {
  const browser = browserOf(session);
  if (browser.page.asks !== undefined) return points.map(() => null);
  return browser.evaluate(`(${pageFunction('reading/targets')})(${JSON.stringify(points)})`);
}
