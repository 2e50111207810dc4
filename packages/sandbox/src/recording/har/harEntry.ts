import { z } from 'zod';

export const Headers = z.record(z.string(), z.string());
type Headers = z.infer<typeof Headers>;

export const Request = z.object({
  url: z.string(),
  method: z.string(),
  headers: Headers,
  postData: z.string().optional(),
  hasPostData: z.boolean().optional(),
});

export const Response = z.object({
  url: z.string(),
  status: z.number(),
  statusText: z.string(),
  headers: Headers,
  mimeType: z.string(),
  protocol: z.string().optional(),
  encodedDataLength: z.number().optional(),
});

/** One request and its response, as the browser told them. */
export interface Hop {
  request: z.infer<typeof Request>;
  response?: z.infer<typeof Response>;
  /** In s, as `ended`. */
  readonly started: number;
  readonly wallTime: number;
  readonly type: string | undefined;
  /** Whether the wire's headers come in further events. */
  hasExtra: boolean;
  ended?: number;
  /** In bytes. */
  size?: number;
  error?: string;
  /** The response's body. */
  text?: string;
}

interface NameValue {
  readonly name: string;
  readonly value: string;
}

export interface HarEntry {
  readonly startedDateTime: string;
  /** In ms. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly NameValue[];
    readonly headers: readonly NameValue[];
    readonly queryString: readonly NameValue[];
    readonly postData?: { readonly mimeType: string; readonly text: string; readonly params: readonly NameValue[] };
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly response: {
    /** 0 for a request that failed, as browsers write it. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly NameValue[];
    readonly headers: readonly NameValue[];
    readonly content: { readonly size: number; readonly mimeType: string; readonly text?: string };
    readonly redirectURL: string;
    readonly headersSize: number;
    readonly bodySize: number;
    readonly _error?: string;
  };
  readonly cache: object;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly _resourceType?: string;
}

/** @param wire headers as they were sent, cookies included; else those that the page sees */
export function entryOf(hop: Hop, wire: { sent?: Headers | undefined; received?: Headers | undefined }): HarEntry {
  const { request, response, started, ended = started, type, error, size } = hop;
  const sent = listed(wire.sent ?? request.headers);
  const received = listed(wire.received ?? response?.headers ?? {});
  const time = Math.max(0, 1_000 * (ended - started));
  const version = httpVersion(response?.protocol);
  const body = request.postData;
  return {
    startedDateTime: dateOf(hop.wallTime),
    time,
    request: {
      ...{ method: request.method, url: request.url, httpVersion: version },
      cookies: cookiesOf(valueOf(sent, 'cookie')),
      headers: sent,
      queryString: queryOf(request.url),
      ...(body !== undefined && {
        postData: { mimeType: valueOf(sent, 'content-type') ?? '', text: body, params: [] },
      }),
      headersSize: -1,
      bodySize: body === undefined ? 0 : Buffer.byteLength(body),
    },
    response: {
      ...{ status: response?.status ?? 0, statusText: response?.statusText ?? '', httpVersion: version },
      cookies: received
        .filter(({ name }) => /^set-cookie$/i.test(name))
        .flatMap(({ value }) => cookiesOf(value.split(';')[0])),
      headers: received,
      content: {
        size: size ?? response?.encodedDataLength ?? -1,
        mimeType: response?.mimeType ?? '',
        ...(hop.text !== undefined && { text: hop.text }),
      },
      redirectURL: valueOf(received, 'location') ?? '',
      ...{ headersSize: -1, bodySize: -1 },
      ...(error !== undefined && { _error: error }),
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(type !== undefined && { _resourceType: type.toLowerCase() }),
  };
}

/** Chromium joins headers of one name by line breaks. */
const listed = (headers: Headers): NameValue[] =>
  Object.entries(headers).flatMap(([name, text]) => text.split('\n').map((value) => ({ name, value })));

const valueOf = (headers: readonly NameValue[], wanted: string): string | undefined =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

/** Reads `a=1; b=2`. */
export function cookiesOf(text: string | undefined): NameValue[] {
  return (text ?? '').split(';').flatMap((part) => {
    const [name = '', ...value] = part.trim().split('=');
    return name === '' ? [] : [{ name, value: value.join('=') }];
  });
}

const queryOf = (url: string): NameValue[] =>
  [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value }));

function httpVersion(protocol: string | undefined): string {
  if (protocol === 'h2') return 'HTTP/2.0';
  if (protocol === 'h3') return 'HTTP/3.0';
  return protocol === undefined || protocol === '' ? '' : protocol.toUpperCase();
}

/** Any number of seconds is a date: a page has no say in it, but the browser may be odd. */
function dateOf(seconds: number): string {
  const date = new Date(1_000 * seconds);
  return Number.isNaN(date.valueOf()) ? new Date(0).toISOString() : date.toISOString();
}
