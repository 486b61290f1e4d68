import { IncomingMessage, ServerResponse } from 'node:http';

import type { Express } from 'express';

/**
 * Creates request and response classes that already have Express's prototypes. Express sets the
 * prototype of each message, which makes V8 discard its optimized shape. If the prototype is
 * already the right one, nothing changes. Without this, a user's main component takes 1.9 times the
 * CPU time (7 pairs of starts, all between 1.6 and 2.2).
 *
 * They must be classes: V8 reserves space for the properties of their objects. Objects of a plain
 * constructor function have no such space and become slow dictionaries. Therefore the prototypes of
 * these classes inherit from Express's, and replace them in the application.
 *
 * A response has its request's context, and tells it when it is written.
 *
 * After an upgrade of Express, run `npm run bench`. If (a') is no faster than (a), remove this and
 * add `context` to a plain subclass of `ServerResponse`.
 */
export function expressMessages(app: Pick<Express, 'request' | 'response'>): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
} {
  class Request extends IncomingMessage {}
  class Response<For extends IncomingMessage> extends ServerResponse<For> {
    context: { onWritten(): void } | undefined = undefined;

    override end(...parameters: unknown[]): this {
      super.end(...(parameters as []));
      this.context?.onWritten();
      return this;
    }
  }
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as typeof app.request;
  app.response = Response.prototype as unknown as typeof app.response;
  return { IncomingMessage: Request, ServerResponse: Response };
}
