import type { ErrorRequestHandler, RequestHandler } from 'express';

import { DatabaseFailure } from '../../db/errors';
import { ServiceError } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import { databaseProblem } from './database-problem';
import { defaultDetail, type ErrorCatalog } from './error-catalog';
import { loggable } from './loggable-error';
import type { LogSampling } from '../request/log-sampling';
import { ClientLeft, endUnread } from '../request/client-presence';
import { contextOf } from '../request/request-context';
import { isLogged } from '../request/request-records';
import { sendProblem } from './send-problem';

/** Translates the error that Express throws for an invalid percent-encoding. */
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

/** Translates any thrown value to the error that the client gets. */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DatabaseFailure) {
    const { code, detail } = databaseProblem(error);
    return new ServiceError(code, { detail, cause: error });
  }
  return (
    fromExpress(error) ??
    new ServiceError('internal_error', { detail: defaultDetail('internal_error'), cause: error })
  );
}

/** Rejects requests to unknown paths. */
export const pathNotFound: RequestHandler = () => {
  throw new ServiceError('path_not_found', { detail: defaultDetail('path_not_found') });
};

/**
 * Codes that are counted and appear in the request's line. Another line would say no more, and add
 * to the load.
 */
const hasNoCause = new Set<string>(['overloaded', 'company_frozen']);

/**
 * Sends a problem document (RFC 9457) for every error, and logs errors that the operator must act
 * on. Every 500 is logged. Other errors of sampled requests are logged only if the sampling admits
 * them.
 */
export function errorHandler(
  publicBaseUrl: string,
  catalog: ErrorCatalog,
  logger: Logger,
  sampling: Pick<LogSampling, 'admits'>,
): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express recognizes an error handler by its four parameters
  return (thrown: unknown, _req, res, _next) => {
    if (thrown instanceof ClientLeft) {
      endUnread(res, () => res.end());
      return;
    }
    const error = toServiceError(thrown);
    const { code, message: detail, errors, subject, headers } = error;
    const entry = catalog[code];
    const { status } = entry;
    const context = contextOf(res);
    context.errorCode = code;
    // The queue for database connections is full. Nothing was done, so the rate limit is not
    // charged.
    if (code === 'overloaded') context.rate?.putBack();
    if (status >= 500 && !hasNoCause.has(code) && (isLogged(context, status, sampling) || status === 500)) {
      const level = status === 500 ? 'error' : 'warn';
      logger[level]({ request_id: context.requestId, error_code: code, error: loggable(error) }, 'failed');
    }
    if (res.headersSent) res.destroy();
    else sendProblem(context, publicBaseUrl, entry, { code, detail, errors, subject, headers });
  };
}
