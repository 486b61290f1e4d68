import { type IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

import { knownContextOf } from '../http/request/request-context';
import { withAllowlist } from './allowed-attributes';

export type Tracing = ReturnType<typeof startTracing>;

/** An unavailable collector must not delay the end of the process. */
const flushTimeoutMs = 2_000;

/** Adds facts about a finished request that only the application knows. */
function describeRequest(span: Span, method: string, response: unknown): void {
  const context = response instanceof ServerResponse ? knownContextOf(response as ServerResponse) : undefined;
  if (!context) return;
  span.setAttribute('contribution.request_id', context.requestId);
  if (context.errorCode !== undefined) span.setAttribute('contribution.error_code', context.errorCode);
  if (context.route === undefined) return;
  span.setAttribute('http.route', context.route);
  span.updateName(`${method} ${context.route}`);
}

/** Health checks and scrapes are frequent and not worth a trace. */
const isIgnored = ({ url = '' }: IncomingMessage): boolean => /^\/(health\/|metrics)/.test(url);

/**
 * Traces requests and their queries, and sends them with OTLP over HTTP as JSON. The exporter,
 * the batch processor and the sampler read the standard OTEL_* variables.
 */
export function startTracing() {
  let notify: (error: Error) => void = () => undefined;
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'contribution-service' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor(
        withAllowlist(new OTLPTraceExporter(), (error) => {
          notify(error);
        }),
      ),
    ],
  });
  provider.register();
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: isIgnored,
        applyCustomAttributesOnSpan: (span, request, response) => {
          describeRequest(span, request.method ?? '', response);
        },
      }),
      // Trace only queries of requests. Other queries are heartbeats and background work.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  return {
    /** Calls the listener for each failed export. */
    onFailure(listener: (error: Error) => void) {
      notify = listener;
    },
    /** Sends the remaining spans, unless the collector is too slow. */
    async stop() {
      const stopped = provider.shutdown().catch(() => undefined);
      await Promise.race([stopped, delay(flushTimeoutMs, undefined, { ref: false })]);
    },
  };
}
