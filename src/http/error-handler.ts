import type { ErrorRequestHandler, RequestHandler } from 'express';

import { DatabaseFailure, type FailureReason } from '../db/errors';
import { type ErrorCode, ServiceError } from '../shared/errors';
import type { Logger } from '../shared/logger';
import { errorCatalog } from './error-catalog';
import { loggable } from './loggable-error';
import { contextOf } from './request-context';
import { sendProblem } from './send-problem';

const codeOfFailure: Record<FailureReason, ErrorCode> = {
  unavailable: 'database_unavailable',
  timeout: 'database_timeout',
  pool_exhausted: 'overloaded',
};

/** Express and its parsers throw errors with a `type` or a `status`; nothing else of them reaches the caller. */
function fromExpress(error: unknown): ServiceError | undefined {
  if (error instanceof URIError) {
    return new ServiceError('malformed_http', {
      detail: 'The path has a percent-encoding that is not UTF-8. Encode it as RFC 3986 says.',
      cause: error,
    });
  }
  return undefined;
}

/** What the caller is told about whatever was thrown. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DatabaseFailure) {
    const code = codeOfFailure[error.reason];
    return new ServiceError(code, { detail: errorCatalog[code].meaning, cause: error });
  }
  return (
    fromExpress(error) ??
    new ServiceError('internal_error', { detail: errorCatalog.internal_error.meaning, cause: error })
  );
}

/** Answers every request that no operation has. */
export const pathNotFound: RequestHandler = () => {
  throw new ServiceError('path_not_found', { detail: errorCatalog.path_not_found.meaning });
};

/** Turns every error into a problem document (RFC 9457), and logs those that somebody here must act on. */
export function errorHandler(publicBaseUrl: string, logger: Logger): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows an error handler by its four parameters
  return (thrown: unknown, _req, res, _next) => {
    const error = toServiceError(thrown);
    const { code, message: detail, errors, headers } = error;
    const { status } = errorCatalog[code];
    const context = contextOf(res);
    // What is refused for lack of room is counted, and has the line of its request: to say more would take room too.
    if (status >= 500 && code !== 'overloaded') {
      const level = status === 500 ? 'error' : 'warn';
      logger[level]({ request_id: context.requestId, error_code: code, error: loggable(error) }, 'failed');
    }
    if (res.headersSent) {
      context.errorCode = code;
      res.destroy();
    } else sendProblem(res, publicBaseUrl, { code, detail, errors, headers });
  };
}
