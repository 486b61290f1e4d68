/**
 * (a') The same, on a server whose requests and responses have the prototypes of Express from the start, so that setting them
 * on every request changes nothing.
 */
import http from 'node:http';
import type { Socket } from 'node:net';

import { bareExpress } from './bare-express';
import { settings } from './settings';

const app = bareExpress();

// Functions and not classes: their `prototype` must be the very object that Express sets, and a class has its own for ever.
function Request(this: http.IncomingMessage, socket: Socket): void {
  (http.IncomingMessage as unknown as typeof Request).call(this, socket);
}
function Response(this: http.ServerResponse, ...parameters: unknown[]): void {
  (http.ServerResponse as unknown as typeof Response).call(this, ...parameters);
}
Request.prototype = app.request;
Response.prototype = app.response;

http
  .createServer(
    {
      IncomingMessage: Request as unknown as typeof http.IncomingMessage,
      ServerResponse: Response as unknown as typeof http.ServerResponse,
    },
    app,
  )
  .listen(settings.port, '127.0.0.1');
