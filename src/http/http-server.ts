import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';

import type { ErrorCode } from '../shared/errors';
import { errorCatalog } from './error-catalog';
import { problem, problemMediaType } from './problem';

export interface HttpServerSettings {
  publicBaseUrl: string;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  tls: { certificateFile: string; privateKeyFile: string } | undefined;
  /** Told of every request that the parser refused, which no other line of the log is about. */
  onRefusal: (refusal: { requestId: string; status: number; code: ErrorCode }) => void;
}

const codeOfParserError: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * An HTTP or HTTPS server around the application, with time-outs that cut a slow client off.
 * What Node's parser refuses never reaches the application, so its answer is written here: a problem document too.
 */
export function createHttpServer(app: http.RequestListener, settings: HttpServerSettings): http.Server {
  const options = {
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, settings.headersTimeoutMs),
    keepAliveTimeout: 65_000,
    // Node would answer a request without Host by itself and without a body; the application does it.
    requireHostHeader: false,
  };
  const server = settings.tls
    ? https.createServer(
        {
          ...options,
          handshakeTimeout: settings.headersTimeoutMs,
          cert: readFileSync(settings.tls.certificateFile),
          key: readFileSync(settings.tls.privateKeyFile),
        },
        app,
      )
    : http.createServer(options, app);

  // Node would answer an expectation that it does not know by itself: no expectation is worth a refusal.
  server.on('checkExpectation', app);

  const answers = new WeakMap<Duplex, http.ServerResponse>();
  const noteAnswer = (req: http.IncomingMessage, res: http.ServerResponse): void => {
    answers.set(req.socket, res);
  };
  server.prependListener('request', noteAnswer);
  server.prependListener('request', (_req, res) => {
    // On its way out: clients that keep their connections busy would keep the process.
    if (!server.listening) res.setHeader('Connection', 'close');
  });
  server.prependListener('checkExpectation', noteAnswer);

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Over a TLS handshake that failed, or a connection that broke, nothing can be said.
    const isHttp = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (!isHttp || !socket.writable) {
      socket.destroy();
      return;
    }
    // What is wrong came behind a whole request that is still being answered: its answer must not be taken for a refusal.
    const answer = answers.get(socket);
    if (answer?.req.complete && !answer.writableFinished) {
      answer.once('close', () => socket.destroy());
      return;
    }
    const code = codeOfParserError[error.code ?? ''] ?? 'malformed_http';
    const requestId = randomUUID();
    const detail = errorCatalog[code].meaning;
    const body = JSON.stringify(problem(settings.publicBaseUrl, code, { detail, requestId }));
    const { status } = errorCatalog[code];
    settings.onRefusal({ requestId, status, code });
    socket.end(
      [
        `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
        `Content-Type: ${problemMediaType}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        'X-Content-Type-Options: nosniff',
        'Cache-Control: no-store',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
  return server;
}
