import {
  type Attributes,
  context,
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { GyreError } from './error.js';

export type { Span };

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: Lowercase<keyof typeof SpanKind>;
  /** Names of OpenTelemetry's conventions, or `gyre.*`. Undefined values are omitted. */
  readonly attributes?: Attributes;
  /** Default: the span in progress. */
  readonly parent?: Context | undefined;
  /** Whether it is recorded only within a trace. Default: it begins one. */
  readonly joins?: boolean;
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Runs `work` in a span, which ends with it and records its error. Records nothing unless the process has an OpenTelemetry SDK. */
export async function traced<Result>(
  name: string,
  { kind = 'internal', attributes = {}, parent = context.active(), joins = false }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  if (joins && trace.getSpan(parent) === undefined) return work(trace.wrapSpanContext(noSpan));
  return trace.getTracer('gyre').startActiveSpan(name, { kind: kinds[kind], attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

const noSpan = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 };

/** Marks a span as failed. `error.type` is the error's code, or its name. */
export function failSpan(span: Span, error: unknown): void {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  span.setAttribute('error.type', error instanceof GyreError ? error.code : name);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Returns `traceparent` and `tracestate` of the span in progress, or nothing. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Returns the caller's context out of `traceparent` and `tracestate`, or undefined without valid ones. */
export function callerOf(headers: Readonly<Record<string, string | string[] | undefined>>): Context | undefined {
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  return trace.getSpan(caller) && caller;
}
