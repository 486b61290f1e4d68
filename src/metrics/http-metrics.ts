import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { EndedRequest, RequestObserver } from '../http/request/request-context';
import type { LimitRate } from '../http/middleware/rate-limit';
import { errorCodes } from '../shared/errors';
import { createBatcher } from '../shared/batcher';

export interface HttpMetrics extends RequestObserver {
  /** Counts a request that Node's parser refused, which no operation ever saw. */
  onRefusal: (refusal: { code: string }) => void;
  /** The same limit, with what it refuses counted. */
  countingLimit: (limitRate: LimitRate) => LimitRate;
  /** Counts a request that was refused because its key, or its address, failed too often. */
  onThrottledAuthentication: (policy: 'failures_of_pair' | 'failures_of_address') => void;
}

/** From what a prepared read takes to the longest that a request may take. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A caller can invent methods; these are the ones that mean something here. */
const knownMethods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Every label has few values that are all known here: never a URL, a header, a key or a user. */
function labelsOf({ method, route, status, answered, errorCode }: EndedRequest) {
  return {
    method: knownMethods.has(method) ? method : 'other',
    route: route ?? 'unknown',
    // Whoever went away first was told nothing, whatever status was going to be sent.
    status: answered ? String(status) : 'unanswered',
    errorCode: errorCode ?? 'none',
  };
}

/** Rate, errors and duration of requests, and what was refused before it came to work. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  // Also whenever somebody reads the counts.
  const ended = createBatcher(count);
  const collect = ended.flush;
  const requests = new Counter({
    name: 'contribution_http_requests_total',
    help: 'Requests by route pattern, method, status and error code.',
    labelNames: ['method', 'route', 'status', 'error_code'],
    registers,
    collect,
  });
  const duration = new Histogram({
    name: 'contribution_http_request_duration_seconds',
    help: 'From the last header received to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers,
    collect,
  });
  let inProgress = 0;
  new Gauge({
    name: 'contribution_http_requests_in_progress',
    help: 'Requests that have no answer yet.',
    registers,
    collect() {
      this.set(inProgress);
    },
  });
  const errors = new Counter({
    name: 'contribution_http_errors_total',
    help: 'Answers with an error by its code, those to what the parser refused included.',
    labelNames: ['error_code'],
    registers,
    collect,
  });
  const throttled = new Counter({
    name: 'contribution_http_throttled_requests_total',
    help: 'Requests answered with 429, by the limit that they exceeded.',
    labelNames: ['policy'],
    registers,
  });
  // What has not happened is 0 and not absent: Prometheus sees no increase in a counter that begins
  // with 1.
  for (const code of errorCodes) errors.inc({ error_code: code }, 0);
  for (const policy of ['requests', 'completions', 'failures_of_pair', 'failures_of_address']) {
    throttled.inc({ policy }, 0);
  }

  function count(request: EndedRequest): void {
    const { method, route, status, errorCode } = labelsOf(request);
    requests.inc({ method, route, status, error_code: errorCode });
    duration.observe({ method, route, status }, request.milliseconds / 1000);
    if (request.errorCode !== undefined) errors.inc({ error_code: request.errorCode });
  }

  return {
    onBegin: () => {
      inProgress += 1;
    },
    onEnd: (request) => {
      inProgress -= 1;
      ended.add(request);
    },
    onRefusal: ({ code }) => {
      errors.inc({ error_code: code });
    },
    countingLimit: (limitRate) => (principal, scope) => {
      const rate = limitRate(principal, scope);
      if (rate.refusal) {
        throttled.inc({ policy: scope === 'contributions:complete' ? 'completions' : 'requests' });
      }
      return rate;
    },
    onThrottledAuthentication: (policy) => {
      throttled.inc({ policy });
    },
  };
}
