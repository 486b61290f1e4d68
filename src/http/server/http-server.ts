import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { randomUUID } from 'node:crypto';
import type { BlockList, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Express } from 'express';

import { contained } from '../../shared/contained';
import type { CoreErrorCode } from '../../shared/errors';
import { mostHeaders } from './admission/class-limits';
import { Connections } from './connection';
import { createDrain, type Drain } from './drain';
import { continueInOrder } from './expect-continue';
import { coreErrors, defaultDetail } from '../errors/error-catalog';
import { expressMessages } from '../../internals/express-messages';
import { stopParsingWhenDestroyed } from '../../internals/stop-parsing';
import { problem, problemMediaType } from '../errors/problem';
import type { ParserRejection } from '../request/log-line';
import { RequestSteps, type RequestStepsSettings } from '../request-steps';
import { failed, overloaded, sendCoreProblem } from '../errors/send-problem';

export interface HttpServerSettings extends Omit<
  RequestStepsSettings,
  'connections' | 'start' | 'reject' | 'shed' | 'fail'
> {
  publicBaseUrl: string;
  /** Proxies whose headers describe the client. */
  trustedProxies: BlockList;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  tls: { certificateFile: string; privateKeyFile: string } | undefined;
  /** Called for each request that the parser rejects. No other log line mentions it. */
  onParserRejection: (rejection: ParserRejection & { code: CoreErrorCode }) => void;
}

export interface HttpServer {
  server: http.Server;
  drain: Drain;
}

/**
 * Time after the last response until a connection is destroyed, if the client does not close it.
 */
const closingMs = 1_000;

const codeOfParserError: Readonly<Record<string, CoreErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * Creates the HTTP or HTTPS server of the application, with timeouts for slow clients. Requests
 * that Node's parser rejects never reach the application, so their problem documents are written
 * here.
 */
export function createHttpServer(app: Express, settings: HttpServerSettings): HttpServer {
  const { publicBaseUrl } = settings;
  const connections = new Connections(settings.trustedProxies);
  const path = new RequestSteps({
    ...settings,
    connections,
    start: app,
    reject(context, rejection) {
      sendCoreProblem(context, publicBaseUrl, rejection);
    },
    shed: overloaded(publicBaseUrl),
    fail: failed(publicBaseUrl),
  });
  const server = createNodeServer(app, settings, path.receive);
  // Ignore unknown expectations, which Node would reject with 417.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on(
    'checkContinue',
    contained(
      (req: http.IncomingMessage, res: http.ServerResponse & { req: http.IncomingMessage }) => {
        continueInOrder(res, connections.of(req.socket));
        server.emit('request', req, res);
      },
      (req) => req.socket.destroy(),
    ),
  );

  // Accept one header more than the gate does, so that the gate sees when there are too many.
  // Node's default allows 2,000 headers, and silently drops the rest.
  server.maxHeadersCount = mostHeaders + 1;

  server.on(settings.tls ? 'secureConnection' : 'connection', contained(stopParsingWhenDestroyed));

  /**
   * Rejects a request and closes its connection. If an earlier response is pending, sends nothing
   * and closes the connection after that response.
   */
  function rejectAndClose(socket: Duplex, code: CoreErrorCode): void {
    const connection = connections.known(socket);
    const lastPending = connection?.lastPending();
    if (lastPending) {
      lastPending.once('close', () => socket.destroy());
    } else if (connection?.isClosing()) {
      socket.destroy();
    } else {
      const requestId = randomUUID();
      const { remoteAddress } = socket as Partial<Socket>;
      settings.onParserRejection({ requestId, remoteAddress, status: coreErrors[code].status, code });
      socket.end(rawResponse(settings.publicBaseUrl, requestId, code));
      // The client has had time to read the response.
      const timer = setTimeout(() => socket.destroy(), closingMs);
      socket.once('close', () => {
        clearTimeout(timer);
      });
    }
  }

  const onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // A failed TLS handshake or a broken connection cannot carry a response.
    if (isHttpError(error) && socket.writable)
      rejectAndClose(socket, codeOfParserError[error.code ?? ''] ?? 'malformed_http');
    else socket.destroy();
  };
  server.on(
    'clientError',
    contained(onClientError, (_error, socket) => socket.destroy()),
  );
  // The service has no tunnels, but without this listener, Node would close the connection without
  // a response. With it, Node handles no errors of the socket, and an error would end the process.
  // Node also no longer reads from the socket, which would keep it open.
  const onConnect = (_req: http.IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    rejectAndClose(socket, 'path_not_found');
  };
  server.on(
    'connect',
    contained(onConnect, (_req, socket) => socket.destroy()),
  );
  return { server, drain: createDrain(server, connections) };
}

const isHttpError = ({ code }: NodeJS.ErrnoException): boolean =>
  code?.startsWith('HPE_') === true || code === 'ERR_HTTP_REQUEST_TIMEOUT';

/** Node's server: HTTPS if the settings name a certificate, otherwise HTTP. */
function createNodeServer(app: Express, settings: HttpServerSettings, listener: http.RequestListener) {
  const options = {
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, settings.headersTimeoutMs),
    keepAliveTimeout: 65_000,
    // Node would reject a request without Host with an empty body. `malformedHttp` rejects it with
    // a problem document.
    requireHostHeader: false,
    ...expressMessages(app),
  };
  return settings.tls
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
}

/** A complete response to a request that never reaches the application. */
function rawResponse(publicBaseUrl: string, requestId: string, code: CoreErrorCode): string {
  const entry = coreErrors[code];
  const { status } = entry;
  const body = JSON.stringify(
    problem(publicBaseUrl, code, entry, { detail: defaultDetail(code), requestId }),
  );
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
