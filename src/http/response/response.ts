import type { ServerResponse } from 'node:http';

import type { RequestHandler } from 'express';

import { contextOf } from '../request/request-context';

/**
 * Security headers of every response, as helmet sets them. The documentation pages have their own
 * Content-Security-Policy.
 */
const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none';style-src 'self';img-src 'self'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
];

/** Alternating names and values, as `writeHead` accepts them. */
const securityHeaderList = securityHeaders.flat();

/**
 * Sends a complete response: the headers of its context and those of every response. They are
 * written in one call: with helmet and one call per header, a user's main component takes 1.08
 * times the CPU time (20 pairs of starts, 95 % interval 1.05 to 1.11).
 *
 * @param body absent if the response has no body; Node omits the body of a response to HEAD
 */
export function sendResponse(res: ServerResponse, status: number, body?: Buffer | string): void {
  const { requestId, headers } = contextOf(res);
  const list = ['X-Request-Id', requestId, ...securityHeaderList];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (body !== undefined) list.push('Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, list);
  res.end(body);
}

/** Sets the headers of every response, for responses that Express sends itself. */
export const commonHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Request-Id', contextOf(res).requestId);
  for (const [name, value] of securityHeaders) res.setHeader(name, value);
  next();
};
