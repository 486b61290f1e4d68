import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import type { RequestHandler } from 'express';
import helmet from 'helmet';

import { contextOf } from '../request/request-context';

/** Alternating names and values, as `writeHead` accepts them. */
const securityHeaders: readonly string[] = readHelmetHeaders();

/** Calls helmet once at startup instead of with each request, because its headers never change. */
function readHelmetHeaders(): string[] {
  const headers: string[] = [];
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  res.setHeader = (name, value) => {
    headers.push(name, String(value));
    return res;
  };
  const setHeaders = helmet({
    contentSecurityPolicy: {
      directives: { 'default-src': ["'none'"], 'style-src': ["'self'"], 'img-src': ["'self'"] },
      useDefaults: false,
    },
  });
  setHeaders(res.req, res, (error) => {
    if (error !== undefined) throw new Error('helmet failed', { cause: error });
  });
  return headers;
}

/**
 * Sends a complete response with the headers of its context and those of every response. Writing
 * all headers at once is faster than setting each of them.
 *
 * @param body absent if the response has none; Node omits the body of a response to HEAD
 */
export function sendResponse(res: ServerResponse, status: number, body?: Buffer | string): void {
  const { requestId, headers } = contextOf(res);
  const list = ['X-Request-Id', requestId, ...securityHeaders];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (body !== undefined) list.push('Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, list);
  res.end(body);
}

/** Sets the headers of every response, for responses that Express writes itself. */
export const commonHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Request-Id', contextOf(res).requestId);
  for (let place = 0; place < securityHeaders.length; place += 2) {
    res.setHeader(securityHeaders[place] ?? '', securityHeaders[place + 1] ?? '');
  }
  next();
};
