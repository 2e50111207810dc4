import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { gyreVersion } from '../version.js';

/**
 * Sends spans to OTLP's endpoint over HTTP. Reads OpenTelemetry's environment variables: the endpoint, headers,
 * service name, resource attributes, sampler and batches.
 *
 * @returns sends the spans that have ended
 */
export function startTracing(): () => Promise<void> {
  const gyre = resourceFromAttributes({ 'service.name': 'gyre', 'service.version': gyreVersion() });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(gyre)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.forceFlush();
}
