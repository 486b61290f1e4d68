import type { IncomingMessage } from 'node:http';

import type { Rejection } from '../../shared/errors';
import { headerValues } from '../request/header-values';

const oneHost: Rejection = {
  code: 'malformed_http',
  detail: 'Send exactly one Host header, as HTTP/1.1 requires.',
};
const plainTarget: Rejection = {
  code: 'malformed_http',
  detail: 'The URL contains a fragment, or a backslash in its path. Percent-encode it or remove it.',
};

/**
 * Rejects what different readers take for different things:
 *
 * - HTTP/1.1 (and what has no version) without Host, which Node would refuse by itself and
 *   without a problem document, and more than one Host, of which Node would take the first and a
 *   proxy perhaps the last (RFC 9112, 3.2); - a target with a fragment, which no target has (RFC
 *   9112, 3.2), or with a backslash in its path, of which some libraries make a slash.
 */
export function malformedHttp(req: IncomingMessage): Rejection | undefined {
  const hosts = headerValues(req, 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) return oneHost;
  return /^[^?]*\\|#/.test(req.url ?? '') ? plainTarget : undefined;
}
