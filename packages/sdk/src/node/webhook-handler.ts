import type { IncomingMessage, ServerResponse } from 'node:http';

import { InvalidInput } from '../errors.js';
import { checkNames } from '../names.js';
import { WebhookRejected } from '../webhook-rejected.js';
import {
  checkVerifyOptions,
  verifyNames,
  type VerifyOptions,
  type WebhookEvent,
  webhooks,
} from '../webhooks.js';

/** Options of `webhookHandler`. */
export interface WebhookHandlerOptions extends VerifyOptions {
  /**
   * Called for each verified delivery. The service delivers an event again until this resolves. An
   * event may arrive more than once, so process each `id` once. Resolve within 15 seconds, or the
   * delivery counts as failed. Use a queue for longer work.
   */
  onEvent: (event: WebhookEvent, delivery: { isReplay: boolean }) => Promise<void> | void;
  /** Called for a rejected request, and for an error of `onEvent`. Default: `console.error`. */
  onError?: ((error: unknown) => void) | undefined;
}

/** An event has at most 2 kB. */
const mostBytes = 65_536;

/** The raw body, or the value that a body parser has set. */
async function bodyOf(req: IncomingMessage & { body?: unknown }): Promise<unknown> {
  if (req.body !== undefined) return req.body;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) throw new WebhookRejected('body_invalid', 'The body is larger than any event.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const isMistake = (error: unknown): boolean =>
  error instanceof InvalidInput ||
  (error instanceof WebhookRejected && (error.reason === 'body_parsed' || error.reason === 'body_missing'));

function logError(error: unknown): void {
  // eslint-disable-next-line no-console -- the documented default of onError
  console.error(error);
}

/**
 * A handler of webhooks, for Express and for `node:http`. It responds with 204 after `onEvent`, and
 * with 400 to a request that is not a webhook of this endpoint. If `onEvent` fails or the program
 * is misconfigured, it responds with 500. After 400 and 500, the service delivers again.
 *
 * @param handlerOptions the secret of the endpoint, and your functions
 * @throws InvalidInput at once for a wrong secret, environment or function
 * @example
 * app.post('/webhooks', webhookHandler({ secret, expectEnvironment: 'production', onEvent }));
 * createServer(webhookHandler({ secret, expectEnvironment: 'production', onEvent }));
 */
export function webhookHandler(
  handlerOptions: WebhookHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => void {
  checkNames('options', handlerOptions, `${verifyNames} onEvent onError`);
  const { onEvent, onError = logError, ...options } = handlerOptions;
  // Fail at startup if the options are invalid: the receiver would reject every delivery.
  checkVerifyOptions(options);
  for (const [name, value] of Object.entries({ onEvent, onError }))
    if (typeof value !== 'function')
      throw new InvalidInput(
        name,
        `Pass a function, such as async (${name === 'onEvent' ? 'event' : 'error'}) => { … }.`,
      );

  async function respond(req: IncomingMessage): Promise<[status: number, text: string]> {
    if (req.method !== 'POST') return [405, 'Send a POST request.'];
    let event: WebhookEvent;
    try {
      event = await webhooks.verify((await bodyOf(req)) as string, req.headers, options);
    } catch (error) {
      onError(error);
      if (!(error instanceof WebhookRejected) || isMistake(error))
        return [500, 'The receiver is misconfigured.'];
      return [400, error.reason];
    }
    try {
      await onEvent(event, { isReplay: req.headers['webhook-replayed'] === 'true' });
      return [204, ''];
    } catch (error) {
      onError(error);
      return [500, 'The event was not processed.'];
    }
  }

  return (req, res) => {
    void respond(req).then(([status, text]) => {
      // The rest of a body that is too long stays unread, so close the connection.
      const headers = req.complete ? {} : { Connection: 'close' };
      res.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end(text);
    });
  };
}
