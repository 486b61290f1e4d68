import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import type { RequestHandler } from 'express';
import helmet from 'helmet';

import { contextOf } from '../request/request-context';

/** Names and values by turns, as `writeHead` takes them. */
const securityHeaders: readonly string[] = askHelmet();

/**
 * The same headers go with every answer, so helmet is asked for them once and not with each
 * request.
 */
function askHelmet(): string[] {
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
 * Sends a whole answer: the headers of its context, and those that every answer has. They are
 * written at once, which costs less than setting them one by one.
 *
 * @param body absent when the answer has no body; Node leaves the body of an answer to HEAD out
 */
export function sendResponse(res: ServerResponse, status: number, body?: Buffer | string): void {
  const { requestId, headers } = contextOf(res);
  const list = ['X-Request-Id', requestId, ...securityHeaders];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (body !== undefined) list.push('Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, list);
  res.end(body);
}

/** Sets what every answer has, for what Express answers with its own means. */
export const commonHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Request-Id', contextOf(res).requestId);
  for (let place = 0; place < securityHeaders.length; place += 2) {
    res.setHeader(securityHeaders[place] ?? '', securityHeaders[place + 1] ?? '');
  }
  next();
};
