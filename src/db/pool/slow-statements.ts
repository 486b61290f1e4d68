import type { Logger } from '../../shared/logger';
import type { DatabaseObserver } from './observer';

/**
 * An observer that besides writes a log line for each statement that takes long, with the id of the
 * request that it is for: a prepared statement cannot carry a comment, and setting application_name
 * would be a round trip more for each request.
 */
export function logSlowStatements(
  observer: DatabaseObserver,
  thresholdMs: number,
  logger: Logger,
): DatabaseObserver {
  return {
    ...observer,
    onStatement(name, seconds, failure, requestId) {
      observer.onStatement(name, seconds, failure, requestId);
      const milliseconds = seconds * 1000;
      if (milliseconds < thresholdMs) return;
      logger.warn(
        { request_id: requestId, statement: name, failure, duration_ms: milliseconds },
        'slow statement',
      );
    },
  };
}
