import { GyreError } from '@gyre/protocol';
import { browserOf, type Machines, type Session } from '@gyre/sandbox';

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

/** Leases sessions that `prepare` has made ready. Releases one that it cannot make ready. */
export function preparedMachines(
  lease: () => Promise<Session>,
  prepare: (session: Session) => Promise<void>,
): Pick<Machines, 'lease'> {
  return {
    async lease() {
      const session = await lease();
      try {
        await prepare(session);
        return session;
      } catch (error) {
        await session.release();
        throw error;
      }
    },
  };
}
