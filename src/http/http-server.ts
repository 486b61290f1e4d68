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
  };
  const server = settings.tls
    ? https.createServer(
        {
          ...options,
          cert: readFileSync(settings.tls.certificateFile),
          key: readFileSync(settings.tls.privateKeyFile),
        },
        app,
      )
    : http.createServer(options, app);

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const code = codeOfParserError[error.code ?? ''] ?? 'malformed_http';
    const requestId = randomUUID();
    const detail = errorCatalog[code].meaning;
    const body = JSON.stringify(problem(settings.publicBaseUrl, code, { detail, requestId }));
    const { status } = errorCatalog[code];
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
