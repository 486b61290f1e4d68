import type { RequestListener, ServerResponse } from 'node:http';

import type { ErrorCode, ErrorSubject, InputError } from '../../shared/errors';
import { endConnectionWith } from '../server/last-response';
import { sendResponse } from '../response/response';
import { defaultDetail, errorCatalog } from './error-catalog';
import { problem, problemMediaType, retryAfterSeconds } from './problem';
import { contextOf } from '../request/request-context';

/**
 * Sends a problem document (RFC 9457), and sets its code in the context for the log and the
 * metrics.
 */
export function sendProblem(
  res: ServerResponse,
  publicBaseUrl: string,
  about: {
    code: ErrorCode;
    detail: string;
    errors?: readonly InputError[];
    subject?: ErrorSubject;
    headers?: Readonly<Record<string, string>>;
  },
): void {
  const { code, detail, errors = [], subject = {} } = about;
  const context = contextOf(res);
  const { requestId, headers } = context;
  context.problem = { detail, errors };
  Object.assign(headers, about.headers);
  send(res, code, JSON.stringify(problem(publicBaseUrl, code, { detail, errors, subject, requestId })));
}

/**
 * Sends 503 `overloaded`. Serializes the body only once, because there may be thousands per second.
 */
export function overloaded(publicBaseUrl: string): RequestListener {
  const code = 'overloaded';
  const detail = defaultDetail(code);
  const requestId = '{request_id}';
  const [start = '', end = ''] = JSON.stringify(problem(publicBaseUrl, code, { detail, requestId })).split(
    requestId,
  );
  return (_req, res) => {
    // A request id contains no characters that JSON escapes.
    send(res, code, start + contextOf(res).requestId + end);
  };
}

/**
 * Ends a request after an exception outside the application's error handler. Sends 500 if that is
 * still possible, and otherwise closes the connection.
 */
export function failed(publicBaseUrl: string): RequestListener {
  return (_req, res) => {
    if (res.writableEnded) return;
    try {
      // A response that has begun, or that throws, cannot be completed.
      if (res.headersSent) {
        res.req.socket.destroy();
        return;
      }
      // Its body may not have been read.
      res.shouldKeepAlive = false;
      endConnectionWith(res);
      sendProblem(res, publicBaseUrl, { code: 'internal_error', detail: defaultDetail('internal_error') });
    } catch (error) {
      res.req.socket.destroy();
      throw error;
    }
  };
}

function send(res: ServerResponse, code: ErrorCode, text: string): void {
  const { status } = errorCatalog[code];
  const context = contextOf(res);
  context.errorCode = code;
  const { headers } = context;
  // RFC 9110 11.6.1 requires it in every 401.
  if (status === 401) headers['WWW-Authenticate'] = 'API-Key realm="contribution-service"';
  if (status === 503) headers['Retry-After'] ??= String(retryAfterSeconds);
  headers['Cache-Control'] = 'no-store';
  headers['Content-Type'] = problemMediaType;
  sendResponse(res, status, text);
}
