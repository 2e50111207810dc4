import { z } from 'zod';
import { entryOf, type HarEntry, Headers, type Hop, Request, Response } from './harEntry.js';

const sent = z.object({
  requestId: z.string(),
  request: Request,
  /** In s; only differences mean anything. */
  timestamp: z.number(),
  /** In s since 1970. */
  wallTime: z.number(),
  type: z.string().optional(),
  redirectResponse: Response.optional(),
  redirectHasExtraInfo: z.boolean().default(false),
});
const received = z.object({
  requestId: z.string(),
  response: Response,
  hasExtraInfo: z.boolean().default(false),
});
const sentExtra = z.object({ requestId: z.string(), headers: Headers });
const receivedExtra = z.object({ requestId: z.string(), headers: Headers });
const finished = z.object({ requestId: z.string(), timestamp: z.number(), encodedDataLength: z.number() });
const failed = z.object({ requestId: z.string(), timestamp: z.number(), errorText: z.string() });

/** One request with its redirects. Headers of the wire come in events of their own, in the order of the hops that have them. */
interface Exchange {
  readonly hops: Hop[];
  readonly sent: z.infer<typeof Headers>[];
  readonly received: z.infer<typeof Headers>[];
}

/** HAR 1.2. Of the responses, only JSON has a body. */
export interface Har {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
    readonly comment?: string;
  };
}

/** A page can make requests without end. */
const defaultMaxRequests = 20_000;

/** Turns the events of CDP's Network domain into a HAR. */
export class HarLog {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #maxRequests: number;
  #dropped = 0;

  constructor({ maxRequests = defaultMaxRequests }: { maxRequests?: number } = {}) {
    this.#maxRequests = maxRequests;
  }

  /** Takes an event of a target. Ignores other events, and ones that are malformed. */
  hear(target: string, method: string, params: unknown): void {
    switch (method) {
      case 'Network.requestWillBeSent': {
        const { data } = sent.safeParse(params);
        if (data) this.#send(`${target} ${data.requestId}`, data);
        return;
      }
      case 'Network.responseReceived': {
        const { data } = received.safeParse(params);
        const hop = data && this.#last(target, data.requestId);
        if (hop) Object.assign(hop, { response: data.response, hasExtra: data.hasExtraInfo });
        return;
      }
      case 'Network.requestWillBeSentExtraInfo': {
        const { data } = sentExtra.safeParse(params);
        if (data) this.#exchange(`${target} ${data.requestId}`)?.sent.push(data.headers);
        return;
      }
      case 'Network.responseReceivedExtraInfo': {
        const { data } = receivedExtra.safeParse(params);
        if (data) this.#exchange(`${target} ${data.requestId}`)?.received.push(data.headers);
        return;
      }
      case 'Network.loadingFinished': {
        const { data } = finished.safeParse(params);
        const hop = data && this.#last(target, data.requestId);
        if (hop) Object.assign(hop, { ended: data.timestamp, size: data.encodedDataLength });
        return;
      }
      case 'Network.loadingFailed': {
        const { data } = failed.safeParse(params);
        const hop = data && this.#last(target, data.requestId);
        if (hop) Object.assign(hop, { ended: data.timestamp, error: data.errorText });
      }
    }
  }

  /** Sets the body of a request that its event does not have. */
  setPosted(target: string, requestId: string, text: string): void {
    const hop = this.#last(target, requestId);
    if (hop) hop.request = { ...hop.request, postData: text };
  }

  isJson(target: string, requestId: string): boolean {
    return /\bjson\b/i.test(this.#last(target, requestId)?.response?.mimeType ?? '');
  }

  /** Sets the body of a response. */
  setAnswer(target: string, requestId: string, text: string): void {
    const hop = this.#last(target, requestId);
    if (hop) hop.text = text;
  }

  /** Returns all requests so far, in the order of their start. */
  har(): Har {
    const entries = [...this.#exchanges.values()].flatMap(({ hops, sent: requests, received: responses }) => {
      let extra = 0;
      return hops.map((hop) => {
        const index = hop.hasExtra ? extra++ : undefined;
        return entryOf(hop, index === undefined ? {} : { sent: requests[index], received: responses[index] });
      });
    });
    return {
      log: {
        version: '1.2',
        creator: { name: 'gyre', version: '1' },
        entries: entries.sort((a, b) =>
          a.startedDateTime < b.startedDateTime ? -1 : Number(a.startedDateTime > b.startedDateTime),
        ),
        ...(this.#dropped > 0 && { comment: `${this.#dropped} later requests were dropped` }),
      },
    };
  }

  #send(key: string, event: z.infer<typeof sent>): void {
    const { request, timestamp, wallTime, type, redirectResponse, redirectHasExtraInfo } = event;
    const exchange = this.#exchange(key);
    if (!exchange) return;
    const before = exchange.hops.at(-1);
    if (before && redirectResponse)
      Object.assign(before, { response: redirectResponse, hasExtra: redirectHasExtraInfo, ended: timestamp });
    exchange.hops.push({ request, started: timestamp, wallTime, type, hasExtra: false });
  }

  #last(target: string, requestId: string): Hop | undefined {
    return this.#exchanges.get(`${target} ${requestId}`)?.hops.at(-1);
  }

  /** Extra information may come before the request that it belongs to. */
  #exchange(key: string): Exchange | undefined {
    let exchange = this.#exchanges.get(key);
    if (exchange) return exchange;
    if (this.#exchanges.size >= this.#maxRequests) {
      this.#dropped++;
      return undefined;
    }
    exchange = { hops: [], sent: [], received: [] };
    this.#exchanges.set(key, exchange);
    return exchange;
  }
}
