import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/**
 * What of a span may leave the process. A list of what may, not of what must not: the next version
 * of an instrumentation may add an attribute, and a URL has a user_hash in it, a header a secret.
 */
const allowed = new Set([
  'contribution.error_code',
  'contribution.request_id',
  'db.name',
  'db.namespace',
  'db.operation.name',
  'db.postgresql.plan',
  // Texts of our own with placeholders; values are never in them.
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
  // Events and messages quote errors, and PostgreSQL's quote rows; a tracestate is the caller's own
  // text.
  return Object.create(span, {
    attributes: { value: attributes },
    spanContext: { value: () => ({ traceId, spanId, traceFlags }) },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}

/**
 * Hands on spans with nothing but allowed attributes.
 *
 * @param onFailure told when spans did not arrive, which the SDK keeps to itself
 */
export function allowListed(exporter: SpanExporter, onFailure: (error: Error) => void): SpanExporter {
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
