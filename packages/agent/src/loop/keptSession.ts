import type { Machines, Sdk, Session, SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';

/** Reuses the last returned page for leases of the same size. */
export class KeptSession implements Machines {
  readonly #machines: Pick<Machines, 'lease'>;
  #kept: Session | undefined;
  #reusable: Session | undefined;
  /** Leases sessions that no other session can break. */
  alone = false;
  sdk: Sdk = sessionSdk();

  constructor(machines: Pick<Machines, 'lease'>) {
    this.#machines = machines;
  }

  async lease({ alone = this.alone, ...needs }: SessionNeeds): Promise<Session> {
    const previous = this.#kept;
    if (
      previous &&
      !alone &&
      needs.machine === undefined &&
      previous.state === 'leased' &&
      isSameSize(previous, needs)
    ) {
      this.#kept = undefined;
      return (this.#reusable = previous);
    }
    await this.close();
    const session = await this.#machines.lease({ ...needs, ...(alone && { alone }) });
    this.#reusable = alone || needs.machine !== undefined ? undefined : session;
    return session;
  }

  async giveBack(session: Session): Promise<void> {
    const isReusable = session === this.#reusable;
    this.#reusable = undefined;
    if (!isReusable) return session.release();
    await this.close();
    this.#kept = session;
  }

  async close(): Promise<void> {
    const previous = this.#kept;
    this.#kept = undefined;
    await previous?.release();
  }
}

function isSameSize({ screen }: Session, { size }: SessionNeeds): boolean {
  return screen.size.width === size.width && screen.size.height === size.height;
}
