import type { IncomingMessage } from 'node:http';

import type { Rejection } from '../../shared/errors';
import { headerValues } from '../request/header-values';
import { mostHeaders } from '../server/admission/class-limits';

const oneHost: Rejection = {
  code: 'malformed_http',
  detail: 'Send exactly one Host header, as HTTP/1.1 requires.',
};
export const tooManyHeaders: Rejection = {
  code: 'headers_too_large',
  detail: `The request has more than ${mostHeaders} headers.`,
};
const plainTarget: Rejection = {
  code: 'malformed_http',
  detail: 'The URL contains a fragment, or a backslash in its path. Percent-encode it or remove it.',
};

/**
 * Rejects requests that a proxy and this service could read differently (RFC 9112, 3.2):
 *
 * - more than one Host header, or none except in HTTP/1.0;
 * - a target with a fragment, or with a backslash in its path. Some libraries turn it into a slash.
 */
export function malformedHttp(req: IncomingMessage): Rejection | undefined {
  const hosts = headerValues(req, 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) return oneHost;
  return /^[^?]*\\|#/.test(req.url ?? '') ? plainTarget : undefined;
}
