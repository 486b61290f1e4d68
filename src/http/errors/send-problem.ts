import type { ErrorCode, ErrorSubject, InputError, Rejection } from '../../shared/errors';
import { sendResponse } from '../response/response';
import type { CatalogEntry } from './catalog-entry';
import { coreErrors, defaultDetail } from './error-catalog';
import { problem, problemMediaType, retryAfterSeconds } from './problem';
import type { RequestContext } from '../request/request-context';

/**
 * Sends a problem document (RFC 9457), and sets its code in the context for the log and the
 * metrics.
 *
 * @param entry describes the code
 */
export function sendProblem(
  context: RequestContext,
  publicBaseUrl: string,
  entry: CatalogEntry,
  about: {
    code: ErrorCode;
    detail: string;
    errors?: readonly InputError[];
    subject?: ErrorSubject;
    headers?: Readonly<Record<string, string>>;
  },
): void {
  const { code, detail, errors = [], subject = {} } = about;
  const { requestId, headers } = context;
  context.problem = { detail, errors };
  Object.assign(headers, about.headers);
  const body = problem(publicBaseUrl, code, entry, { detail, errors, subject, requestId });
  send(context, code, entry, JSON.stringify(body));
}

/** Sends the problem document of a code of the core. */
export const sendCoreProblem = (
  context: RequestContext,
  publicBaseUrl: string,
  rejection: Rejection,
): void => {
  sendProblem(context, publicBaseUrl, coreErrors[rejection.code], rejection);
};

/**
 * Sends 503 `overloaded`. Serializes the body only once, because there may be thousands per second.
 */
export function overloaded(publicBaseUrl: string): (context: RequestContext) => void {
  const code = 'overloaded';
  const detail = defaultDetail(code);
  const requestId = '{request_id}';
  const entry = coreErrors[code];
  const body = problem(publicBaseUrl, code, entry, { detail, requestId });
  const [start = '', end = ''] = JSON.stringify(body).split(requestId);
  return (context) => {
    // A request id contains no characters that JSON escapes.
    send(context, code, entry, start + context.requestId + end);
  };
}

/**
 * Ends a request after an exception outside the application's error handler. Sends 500 if that is
 * still possible, and otherwise closes the connection.
 */
export function failed(publicBaseUrl: string): (context: RequestContext) => void {
  return (context) => {
    const { res } = context;
    if (res.writableEnded) return;
    try {
      // A response that has begun, or that throws, cannot be completed.
      if (res.headersSent) {
        res.req.socket.destroy();
        return;
      }
      // Its body may not have been read.
      res.shouldKeepAlive = false;
      context.connection.endWith(res);
      sendCoreProblem(context, publicBaseUrl, {
        code: 'internal_error',
        detail: defaultDetail('internal_error'),
      });
    } catch (error) {
      res.req.socket.destroy();
      throw error;
    }
  };
}

function send(context: RequestContext, code: ErrorCode, { status }: CatalogEntry, text: string): void {
  context.errorCode = code;
  const { headers } = context;
  // RFC 9110 11.6.1 requires it in every 401.
  if (status === 401) headers['WWW-Authenticate'] = 'API-Key realm="contribution-service"';
  if (status === 503) headers['Retry-After'] ??= String(retryAfterSeconds);
  headers['Cache-Control'] = 'no-store';
  headers['Content-Type'] = problemMediaType;
  sendResponse(context, status, text);
}
