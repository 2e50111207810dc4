import { HttpError, httpError } from './httpError.js';

/** Protobuf bytes, or an object to send as JSON. */
export type Outcome = Uint8Array | object;

/** Identifies a request of a model. */
export interface RequestNumber {
  readonly modelId: string;
  readonly seqId: number;
  /** Hash of its path and body: tells a repeated request from another one. */
  readonly digest: string;
}

export interface FutureLimits {
  /** Results stored; the oldest are dropped. Default 1,024. */
  readonly results?: number | undefined;
  /** Requests that wait or run. Default 1,024. */
  readonly pending?: number | undefined;
}

interface Entry {
  readonly settled: Promise<void>;
  outcome?: { readonly value: Outcome } | { readonly error: HttpError };
}

/** Results of requests under way. A result stays after its retrieval, so that a lost answer can be fetched again. */
export class Futures {
  readonly #limits: Required<FutureLimits>;
  readonly #onFault: (error: unknown) => void;
  readonly #pending = new Map<string, Entry>();
  readonly #results = new Map<string, Entry>();
  readonly #numbered = new Map<string, { readonly digest: string; readonly requestId: string }>();
  #next = 1;

  constructor({ results, pending, onFault }: FutureLimits & { readonly onFault: (error: unknown) => void }) {
    this.#limits = { results: results ?? 1_024, pending: pending ?? 1_024 };
    this.#onFault = onFault;
  }

  /**
   * Returns the id of an earlier request with the same number and content.
   *
   * @throws HttpError 400 for another request under the same number. The SDK would repeat one answered by 409.
   */
  repeated(number: RequestNumber | undefined): string | undefined {
    const earlier = number && this.#numbered.get(keyOf(number));
    if (earlier === undefined || number === undefined) return undefined;
    if (earlier.digest === number.digest) return earlier.requestId;
    throw new HttpError(400, `seq_id ${number.seqId} of ${number.modelId} was another request`, 'seq_id');
  }

  /** @throws HttpError 429 if too many requests wait. */
  start(number: RequestNumber | undefined, work: () => Promise<Outcome>): string {
    const { pending } = this.#limits;
    if (this.#pending.size >= pending) {
      throw new HttpError(429, `${pending} requests wait already: retrieve their results first`);
    }
    const requestId = String(this.#next++);
    if (number) this.#numbered.set(keyOf(number), { digest: number.digest, requestId });
    const entry: Entry = {
      settled: work().then(
        (value) => this.#settle(requestId, { value }),
        (error: unknown) => {
          const failure = httpError(error);
          if (failure.status >= 500) this.#onFault(error);
          this.#settle(requestId, { error: failure });
        },
      ),
    };
    this.#pending.set(requestId, entry);
    return requestId;
  }

  /**
   * Waits for a result for at most `holdMs`. A failure is a result too: the SDK repeats requests answered by 400 or 500.
   *
   * @throws HttpError 404 for an unknown or dropped result, 408 if it takes longer
   */
  async retrieve(requestId: string, holdMs: number): Promise<Outcome> {
    const entry = this.#pending.get(requestId) ?? this.#results.get(requestId);
    if (entry === undefined) {
      throw new HttpError(404, `request ${requestId} is unknown, or its result was dropped`, 'request_id');
    }
    if (!entry.outcome) await within(holdMs, entry.settled);
    if (!entry.outcome) throw new HttpError(408, `request ${requestId} is not finished yet`, 'request_id');
    return 'error' in entry.outcome ? failed(entry.outcome.error) : entry.outcome.value;
  }

  /** Forgets the numbers of an unloaded model. */
  forget(modelId: string): void {
    for (const key of this.#numbered.keys()) if (key.startsWith(`${modelId} `)) this.#numbered.delete(key);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ settled }) => settled));
  }

  #settle(requestId: string, outcome: NonNullable<Entry['outcome']>): void {
    const entry = this.#pending.get(requestId);
    if (!entry) return;
    entry.outcome = outcome;
    this.#pending.delete(requestId);
    this.#results.set(requestId, entry);
    if (this.#results.size <= this.#limits.results) return;
    const [oldest] = this.#results.keys();
    if (oldest !== undefined) this.#results.delete(oldest);
  }
}

const keyOf = ({ modelId, seqId }: RequestNumber) => `${modelId} ${seqId}`;

async function within(ms: number, settled: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([settled, over]);
  clearTimeout(timer);
}

const failed = ({ status, message, field }: HttpError) => ({
  ...{ error: message, category: status < 500 ? 'user' : 'server' },
  ...(field !== undefined && { field }),
});
