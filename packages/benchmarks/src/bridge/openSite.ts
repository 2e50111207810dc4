import { GyreError } from '@gyre/protocol';
import { browserOf, type Session } from '@gyre/sandbox';

/** Loads a web site in the shown tab. Throws `infra` if it does not load. */
export async function openSite(session: Session, url: string): Promise<void> {
  await session.screen.act({ type: 'navigate', url });
  const { failed } = browserOf(session).page;
  if (failed === undefined) return;
  throw new GyreError('infra', `cannot open ${url}: ${failed}`, {
    part: 'network',
    fix: 'check that the site is reachable from here',
  });
}
