import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

import { DatabaseFailure, type FailureReason } from '../db/errors';
import { type ErrorCode, ServiceError } from '../shared/errors';
import type { Logger } from '../shared/logger';
import { sendAnswer } from './answer';
import { errorCatalog } from './error-catalog';
import { loggable } from './loggable-error';
import { problem, problemMediaType, retryAfterSeconds } from './problem';
import { contextOf } from './request-context';

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
  function send(error: ServiceError, res: Response): void {
    const context = contextOf(res);
    const { status } = errorCatalog[error.code];
    context.errorCode = error.code;
    // What is refused for lack of room is counted, and has the line of its request: to say more would take room too.
    if (status >= 500 && error.code !== 'overloaded') {
      const level = status === 500 ? 'error' : 'warn';
      logger[level](
        { request_id: context.requestId, error_code: error.code, error: loggable(error) },
        'failed',
      );
    }
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { requestId, headers } = context;
    Object.assign(headers, error.headers);
    // RFC 9110 11.6.1: every 401, whoever found the credentials wanting.
    if (status === 401) headers['WWW-Authenticate'] = 'API-Key realm="contribution-service"';
    if (status === 503) headers['Retry-After'] = String(retryAfterSeconds);
    headers['Cache-Control'] = 'no-store';
    headers['Content-Type'] = problemMediaType;
    const { message: detail, errors } = error;
    const body = problem(publicBaseUrl, error.code, { detail, errors, requestId });
    sendAnswer(res, status, Buffer.from(JSON.stringify(body)));
  }

  // Express knows an error handler by its four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  return (error: unknown, _req, res, _next) => {
    send(toServiceError(error), res);
  };
}
