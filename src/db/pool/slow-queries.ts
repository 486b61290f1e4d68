import type { Logger } from '../../shared/logger';
import type { DatabaseObserver } from './observer';

/**
 * Extends an observer to log each slow query with its request id. PostgreSQL's log cannot show
 * that id: a prepared statement carries no comment, and setting application_name would cost one
 * more round trip per request.
 */
export function logSlowQueries(
  observer: DatabaseObserver,
  thresholdMs: number,
  logger: Logger,
): DatabaseObserver {
  return {
    ...observer,
    onQuery(name, seconds, failure, requestId) {
      observer.onQuery(name, seconds, failure, requestId);
      const milliseconds = seconds * 1000;
      if (milliseconds < thresholdMs) return;
      logger.warn(
        { request_id: requestId, statement: name, failure, duration_ms: milliseconds },
        'slow statement',
      );
    },
  };
}
