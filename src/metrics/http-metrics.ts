import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { EndedRequest } from '../http/request/log-line';
import type { RequestObserver } from '../http/request/request-records';
import { createBatcher } from '../shared/batcher';
import type { RatePolicy } from '../shared/traffic-classes';

export interface HttpMetrics extends RequestObserver {
  /** Counts a request that Node's parser rejected. */
  onParserRejection: (rejection: { code: string }) => void;
  /**
   * Counts a request that was rejected because it exceeded the rate limit, or because its key or
   * address had too many failures.
   */
  onThrottled: (policy: RatePolicy | 'failures_of_pair' | 'failures_of_address') => void;
}

/** The buckets range from a fast read to the longest duration of a request. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Other methods are counted as `other`, because callers can send any method. */
const knownMethods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The client asked for a fault, and an operator has frozen a company, so no alert should count
 * either as a failure. A client that left before the response received no status.
 */
function statusOf({ status, answered, errorCode, fault }: EndedRequest): string {
  if (fault !== undefined) return 'sandbox_fault';
  if (!answered) return 'unanswered';
  return errorCode === 'company_frozen' ? errorCode : String(status);
}

/** Registers the metrics. `collect` runs before each scrape. */
function registerMetrics(
  registry: Registry,
  errorCodes: readonly string[],
  collect: () => void,
  inProgress: () => number,
) {
  const registers = [registry];
  const requests = new Counter({
    name: 'contribution_http_requests_total',
    help: 'Requests by route pattern, method, status and error code.',
    labelNames: ['method', 'route', 'status', 'error_code'],
    registers,
    collect,
  });
  const duration = new Histogram({
    name: 'contribution_http_request_duration_seconds',
    help: 'From the last header received to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers,
    collect,
  });
  new Gauge({
    name: 'contribution_http_requests_in_progress',
    help: 'Requests without a response yet.',
    registers,
    collect() {
      this.set(inProgress());
    },
  });
  const errors = new Counter({
    name: 'contribution_http_errors_total',
    help: 'Error responses by code, including those for requests that the parser rejected.',
    labelNames: ['error_code'],
    registers,
    collect,
  });
  const throttled = new Counter({
    name: 'contribution_http_throttled_requests_total',
    help: 'Requests rejected with 429, by the limit that they exceeded.',
    labelNames: ['policy'],
    registers,
  });
  // Start at 0: Prometheus sees no increase in a counter whose first value is 1.
  for (const code of errorCodes) errors.inc({ error_code: code }, 0);
  for (const policy of ['requests', 'completions', 'batches', 'failures_of_pair', 'failures_of_address']) {
    throttled.inc({ policy }, 0);
  }
  return { requests, duration, errors, throttled };
}

/** Rate, errors and duration of requests, and rejections by limit. */
export function createHttpMetrics(registry: Registry, errorCodes: readonly string[]): HttpMetrics {
  let inProgress = 0;
  // Flushed before each scrape.
  const ended = createBatcher(count);
  const { requests, duration, errors, throttled } = registerMetrics(
    registry,
    errorCodes,
    ended.flush,
    () => inProgress,
  );

  /** Every label has a few known values: never a URL, a header, a key or a user. */
  function count(request: EndedRequest): void {
    const { route = 'unknown', fault, errorCode } = request;
    const method = knownMethods.has(request.method) ? request.method : 'other';
    const status = statusOf(request);
    const code = fault === undefined ? errorCode : undefined;
    requests.inc({ method, route, status, error_code: code ?? 'none' });
    if (fault !== undefined) return;
    duration.observe({ method, route, status }, request.milliseconds / 1000);
    if (code !== undefined) errors.inc({ error_code: code });
  }

  return {
    onBegin: () => {
      inProgress += 1;
    },
    onEnd: (request) => {
      inProgress -= 1;
      ended.add(request);
    },
    onParserRejection: ({ code }) => {
      errors.inc({ error_code: code });
    },
    onThrottled: (policy) => {
      throttled.inc({ policy });
    },
  };
}
