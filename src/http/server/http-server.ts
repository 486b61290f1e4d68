import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Express } from 'express';

import type { ErrorCode } from '../../shared/errors';
import { mostHeaders } from './admission/class-limits';
import { createGate, type GateSettings } from './admission/gate';
import { trackResponses } from './responses-by-connection';
import { createDrain, type Drain } from './drain';
import { isBehindLast } from './last-response';
import { defaultDetail, errorCatalog } from '../errors/error-catalog';
import { expressMessages } from '../../internals/express-messages';
import { problem, problemMediaType } from '../errors/problem';
import type { Refusal } from '../request/request-context';
import { takeOriginForm } from '../request/request-target';
import { overloaded, sendProblem } from '../errors/send-problem';

export interface HttpServerSettings extends Pick<
  GateSettings,
  'screen' | 'limits' | 'bodyLimitBytes' | 'observer'
> {
  publicBaseUrl: string;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  tls: { certificateFile: string; privateKeyFile: string } | undefined;
  /** Gives a request its context, before anything else is done with it. */
  requestContext: http.RequestListener;
  /** Told of every request that the parser refused, which no other line of the log is about. */
  onRefusal: (refusal: Refusal & { code: ErrorCode }) => void;
}

export interface HttpServer {
  server: http.Server;
  drain: Drain;
}

/** How long a connection stays after its last answer when the client does not close it. */
const closingMs = 1_000;

const codeOfParserError: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * An HTTP or HTTPS server around the application, with time-outs that cut a slow client off. What
 * Node's parser refuses never reaches the application, so its answer is written here: a problem
 * document too.
 */
export function createHttpServer(app: Express, settings: HttpServerSettings): HttpServer {
  const { publicBaseUrl } = settings;
  const gate = createGate({
    ...settings,
    start: app,
    reject(res, rejection) {
      sendProblem(res, publicBaseUrl, rejection);
    },
    shed: overloaded(publicBaseUrl),
  });
  const listener: http.RequestListener = (req, res) => {
    // Of a connection that was closed, requests may still come that were read before.
    if (req.socket.destroyed || isBehindLast(req, res)) return;
    takeOriginForm(req);
    settings.requestContext(req, res);
    gate(req, res);
  };
  const options = {
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, settings.headersTimeoutMs),
    keepAliveTimeout: 65_000,
    // Node would answer a request without Host by itself and without a body; the application does
    // it.
    requireHostHeader: false,
    ...expressMessages(app),
  };
  const server = settings.tls
    ? https.createServer(
        {
          ...options,
          handshakeTimeout: settings.headersTimeoutMs,
          cert: readFileSync(settings.tls.certificateFile),
          key: readFileSync(settings.tls.privateKeyFile),
        },
        listener,
      )
    : http.createServer(options, listener);

  // Node would answer an expectation that it does not know by itself: no expectation is worth a
  // refusal.
  server.on('checkExpectation', listener);

  // Node keeps one header more than the gate accepts, so that none is left out silently. It would
  // keep thousands of empty ones.
  server.maxHeadersCount = mostHeaders + 1;

  const responses = trackResponses(server);

  /**
   * Says no and closes, unless an answer stands in the way: then it only closes, behind that
   * answer.
   */
  function refuse(socket: Duplex, code: ErrorCode): void {
    const { owed, isSilent } = responses.of(socket);
    if (owed) {
      owed.once('close', () => socket.destroy());
    } else if (isSilent) {
      socket.destroy();
    } else {
      const requestId = randomUUID();
      const { remoteAddress } = socket as Partial<Socket>;
      settings.onRefusal({ requestId, remoteAddress, status: errorCatalog[code].status, code });
      socket.end(refusal(settings.publicBaseUrl, requestId, code));
      // Whoever leaves its side open has had the time to read it.
      const timer = setTimeout(() => socket.destroy(), closingMs);
      socket.once('close', () => {
        clearTimeout(timer);
      });
    }
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Over a TLS handshake that failed, or a connection that broke, nothing can be said.
    const isHttp = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isHttp && socket.writable) refuse(socket, codeOfParserError[error.code ?? ''] ?? 'malformed_http');
    else socket.destroy();
  });
  // Node would close the connection without a word: there is no tunnel here. It has let go of the
  // connection, so nobody else hears that it breaks, and an error that nobody hears ends the
  // process; nor reads on, without which it is never closed.
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    refuse(socket, 'path_not_found');
  });
  return { server, drain: createDrain(server, responses) };
}

/** A whole answer, to what never reaches the application. */
function refusal(publicBaseUrl: string, requestId: string, code: ErrorCode): string {
  const { status } = errorCatalog[code];
  const body = JSON.stringify(problem(publicBaseUrl, code, { detail: defaultDetail(code), requestId }));
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
