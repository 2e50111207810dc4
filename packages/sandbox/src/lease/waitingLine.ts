import { GyreError } from '@gyre/protocol';

export interface WaitOptions {
  /** Time to wait for a place. Default 0. */
  readonly waitMs?: number | undefined;
  /** Aborts the wait, or the machine's start. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting<Claim> {
  readonly claim: Claim;
  readonly admit: () => void;
  readonly refuse: (reason: GyreError) => void;
}

const longestWaitMs = 2 ** 31 - 1;

/** Throws `bad_input`. */
export function checkWait(waitMs: number): void {
  if (waitMs >= 0 && waitMs <= longestWaitMs) return;
  throw new GyreError('bad_input', `invalid waitMs: ${waitMs}`, {
    field: 'waitMs',
    fix: `use a number from 0 to ${longestWaitMs}`,
  });
}

/** Claims that wait for a place. Fair: owners take turns, and each owner's claims keep their order. */
export class WaitingLine<Claim extends { readonly owner?: string | undefined }> {
  readonly #waiting: Waiting<Claim>[] = [];
  /** Owners by their last turn, oldest first. */
  readonly #turns = new Map<string | undefined, number>();
  #turn = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** Returns the number of waiting claims by owner. */
  get owners(): Map<string | undefined, number> {
    const counts = new Map<string | undefined, number>();
    for (const { claim } of this.#waiting) counts.set(claim.owner, (counts.get(claim.owner) ?? 0) + 1);
    return counts;
  }

  /** Resolves once `serve` admits the claim. Throws `late()` after `waitMs`, and `infra` if aborted or closed. */
  wait(
    claim: Claim,
    { waitMs, signal, late }: { waitMs: number; signal?: AbortSignal | undefined; late: () => GyreError },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const waiting: Waiting<Claim> = {
        claim,
        admit: () => {
          end();
          resolve();
        },
        refuse: (reason) => {
          end();
          reject(reason);
        },
      };
      const quit = (reason: GyreError) => {
        this.#remove(waiting);
        waiting.refuse(reason);
      };
      const leave = () =>
        quit(
          new GyreError('infra', 'the client that waited for a lease disconnected', { part: 'lease', field: 'signal' }),
        );
      const timer = setTimeout(() => quit(late()), waitMs);
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', leave);
      if (signal?.aborted) leave();
    });
  }

  /** Admits each claim that `takes` a place. Claims that find none are overtaken. */
  serve(takes: (claim: Claim) => boolean): void {
    for (const waiting of this.#inTurn()) {
      const { claim } = waiting;
      if (!takes(claim)) continue;
      this.#turns.set(claim.owner, ++this.#turn);
      this.#remove(waiting);
      waiting.admit();
    }
    if (this.#waiting.length === 0) this.#turns.clear();
  }

  close(reason: GyreError): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(reason);
  }

  /** Yields one claim of each owner in turn. */
  *#inTurn(): Generator<Waiting<Claim>> {
    const byOwner = new Map<string | undefined, Waiting<Claim>[]>();
    for (const waiting of this.#waiting) {
      const { owner } = waiting.claim;
      const queue = byOwner.get(owner);
      if (queue) queue.push(waiting);
      else byOwner.set(owner, [waiting]);
    }
    const owners = [...byOwner.keys()].sort((a, b) => (this.#turns.get(a) ?? 0) - (this.#turns.get(b) ?? 0));
    for (let round = 0, served = true; served; round++) {
      served = false;
      for (const owner of owners) {
        const waiting = byOwner.get(owner)?.[round];
        if (!waiting) continue;
        served = true;
        yield waiting;
      }
    }
  }

  #remove(waiting: Waiting<Claim>): void {
    const index = this.#waiting.indexOf(waiting);
    if (index >= 0) this.#waiting.splice(index, 1);
  }
}
