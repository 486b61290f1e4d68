import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/**
 * The span attributes that may leave the process. An allowlist, because the next version of an
 * instrumentation may add an attribute: URLs contain user hashes, and headers contain secrets.
 */
const allowed = new Set([
  'contribution.error_code',
  'contribution.request_id',
  'db.name',
  'db.namespace',
  'db.operation.name',
  'db.postgresql.plan',
  // Our SQL texts have placeholders, never values.
  'db.query.text',
  'db.statement',
  'db.system',
  'db.system.name',
  'error.type',
  'http.method',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'http.status_code',
]);

function withAllowedAttributes(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => allowed.has(name)),
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  // Drop events and status messages: they quote errors, and PostgreSQL's errors quote rows. Drop
  // the tracestate, because callers choose its text.
  return Object.create(span, {
    attributes: { value: attributes },
    spanContext: { value: () => ({ traceId, spanId, traceFlags }) },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}

/**
 * Wraps an exporter to remove all other attributes.
 *
 * @param onFailure called when an export failed, which the SDK does not report
 */
export function withAllowlist(exporter: SpanExporter, onFailure: (error: Error) => void): SpanExporter {
  return {
    export: (spans, onResult) => {
      exporter.export(spans.map(withAllowedAttributes), (result) => {
        if (result.error) onFailure(result.error);
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
