import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.int(), z.string()]).optional(),
});
const Attributes = z.array(z.looseObject({ key: z.string(), value: Value })).default([]);

/** OTLP's JSON encoding of spans, as far as tests read it. */
const TraceRequest = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.looseObject({
          spans: z.array(
            z.looseObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.int(),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A double of an OpenTelemetry collector: takes OTLP over HTTP in JSON. Refuses what is malformed with 400. */
export class OtlpReceiverDouble {
  readonly spans: ReceivedSpan[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiverDouble> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const isTraces = request.method === 'POST' && request.url === '/v1/traces';
        const isTaken = isTraces && receiver.#take(body);
        response.writeHead(isTaken ? 200 : isTraces ? 400 : 404, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const receiver = new OtlpReceiverDouble(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns a span's descendants. */
  below({ spanId }: ReceivedSpan): ReceivedSpan[] {
    const children = this.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
    return children.flatMap((child) => [child, ...this.below(child)]);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #take(body: string): boolean {
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return false;
    }
    const request = TraceRequest.safeParse(json);
    for (const { resource, scopeSpans } of request.data?.resourceSpans ?? []) {
      const service = String(recordOf(resource.attributes)['service.name']);
      for (const { traceId, spanId, parentSpanId, name, attributes } of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ service, traceId, spanId, parentSpanId, name, attributes: recordOf(attributes) });
      }
    }
    return request.success;
  }
}

const recordOf = (attributes: z.infer<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
