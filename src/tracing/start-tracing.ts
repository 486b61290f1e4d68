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
import { allowListed } from './allowed-attributes';

export interface Tracing {
  /** Tells a listener each time that spans did not arrive. */
  watch: (onFailure: (error: Error) => void) => void;
  /** Sends what is not sent yet, as far as the collector takes it in good time. */
  stop: () => Promise<void>;
}

/** A collector that is away must not hold up the end of the process. */
const mostFlushMs = 2_000;

/** What only the application knows of a request, when it is over. */
function describeRequest(span: Span, method: string, response: unknown): void {
  const context = response instanceof ServerResponse ? knownContextOf(response as ServerResponse) : undefined;
  if (!context) return;
  span.setAttribute('contribution.request_id', context.requestId);
  if (context.errorCode !== undefined) span.setAttribute('contribution.error_code', context.errorCode);
  if (context.route === undefined) return;
  span.setAttribute('http.route', context.route);
  span.updateName(`${method} ${context.route}`);
}

/**
 * Health is asked every few seconds and metrics are another listener's: neither is worth a trace.
 */
const isIgnored = ({ url = '' }: IncomingMessage): boolean => /^\/(health\/|metrics)/.test(url);

/**
 * Traces of requests and their statements, sent by OTLP over HTTP with JSON. The exporter, the
 * batches and the sampler read their own standard variables.
 */
export function startTracing(): Tracing {
  let onFailure: (error: Error) => void = () => undefined;
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'contribution-service' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor(
        allowListed(new OTLPTraceExporter(), (error) => {
          onFailure(error);
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
      // Without a request around them statements are heartbeats and bookkeeping.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  return {
    watch(listener) {
      onFailure = listener;
    },
    async stop() {
      const stopped = provider.shutdown().catch(() => undefined);
      await Promise.race([stopped, delay(mostFlushMs, undefined, { ref: false })]);
    },
  };
}
