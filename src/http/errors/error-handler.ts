import type { ErrorRequestHandler, RequestHandler } from 'express';

import { DatabaseFailure, type FailureReason } from '../../db/errors';
import { type ErrorCode, ServiceError } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import { defaultDetail, errorCatalog } from './error-catalog';
import { loggable } from './loggable-error';
import type { LogSampling } from '../request/log-sampling';
import { ClientLeft, endUnread } from '../request/client-presence';
import { contextOf, isLogged } from '../request/request-context';
import { sendProblem } from './send-problem';

const codeOfFailure: Record<FailureReason, ErrorCode> = {
  unavailable: 'database_unavailable',
  timeout: 'database_timeout',
  pool_exhausted: 'overloaded',
};

/**
 * Express and its parsers throw errors with a `type` or a `status`; nothing else of them reaches
 * the caller.
 */
function fromExpress(error: unknown): ServiceError | undefined {
  if (error instanceof URIError) {
    return new ServiceError('malformed_http', {
      detail:
        'The path contains a percent-encoding that is not valid UTF-8. Encode the path as RFC 3986 defines.',
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
    return new ServiceError(code, { detail: defaultDetail(code), cause: error });
  }
  return (
    fromExpress(error) ??
    new ServiceError('internal_error', { detail: defaultDetail('internal_error'), cause: error })
  );
}

/** Answers every request that no operation has. */
export const pathNotFound: RequestHandler = () => {
  throw new ServiceError('path_not_found', { detail: defaultDetail('path_not_found') });
};

/**
 * Turns every error into a problem document (RFC 9457), and logs those that somebody here must act
 * on. Of requests that are sampled it logs those that the sampling admits, but every 500.
 */
export function errorHandler(
  publicBaseUrl: string,
  logger: Logger,
  sampling: Pick<LogSampling, 'admits'>,
): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows an error handler by its four parameters
  return (thrown: unknown, req, res, _next) => {
    if (thrown instanceof ClientLeft) {
      endUnread(res, () => res.end());
      return;
    }
    const error = toServiceError(thrown);
    const { code, message: detail, errors, headers } = error;
    const { status } = errorCatalog[code];
    const context = contextOf(res);
    context.errorCode = code;
    // The queue of the database rejected the request. Nothing was done, so it does not count.
    if (code === 'overloaded') context.rate?.putBack();
    // What is refused for lack of room is counted, and has the line of its request: to say more
    // would take room too.
    if (
      status >= 500 &&
      code !== 'overloaded' &&
      (isLogged(context, req, status, sampling) || status === 500)
    ) {
      const level = status === 500 ? 'error' : 'warn';
      logger[level]({ request_id: context.requestId, error_code: code, error: loggable(error) }, 'failed');
    }
    if (res.headersSent) res.destroy();
    else sendProblem(res, publicBaseUrl, { code, detail, errors, headers });
  };
}
