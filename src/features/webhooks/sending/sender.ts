import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

import { type Destinations, ForbiddenDestination } from './destinations';
import { createSenderAgents } from './sender-agents';
import type { SenderSettings } from './sender-settings';
import { failureOf, type SendFailure } from './send-failure';
import { StaleConnection, watchReuse } from './stale-connection';

/** A request to a partner's receiver. */
export interface Message {
  /** Each endpoint has its own connections. */
  endpointId: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The receiver's response, or the reason for its absence. */
export interface SendResult {
  isSuccess: boolean;
  status: number | undefined;
  failure: SendFailure | undefined;
  /** The start of the response's body, after a failure only. */
  response: string | undefined;
  retryAfterSeconds: number | undefined;
  durationMs: number;
}

/** Sends messages over https. Never rejects. */
export type Sender = ReturnType<typeof createSender>;

/** Ends an attempt with this failure. */
class AttemptFailure extends Error {
  constructor(readonly failure: SendFailure) {
    super(failure);
  }
}

/** The maximum number of interim responses, such as 103, to one request. */
const mostInterim = 16;
const mostReadBytes = 16_384;
const mostKeptBytes = 1_024;

/** The maximum of a Retry-After. It is longer than any wait between attempts. */
const mostRetryAfterSeconds = 1e9;

/** Parses a Retry-After, given as seconds or as a time, to seconds. */
function retryAfterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return seconds > 0 ? Math.min(seconds, mostRetryAfterSeconds) : undefined;
}

/** Reads the start of a body, and stops when it is too long or takes too long. */
async function readStart(response: IncomingMessage, timeoutMs: number): Promise<string> {
  const slow = setTimeout(() => response.destroy(), timeoutMs);
  const kept: Buffer[] = [];
  let length = 0;
  let keptLength = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (keptLength < mostKeptBytes) kept.push(chunk.subarray(0, mostKeptBytes - keptLength));
      keptLength = Math.min(mostKeptBytes, keptLength + chunk.length);
      if (length > mostReadBytes) break;
    }
  } catch {
    // Ignore the error, because the status is known and decides the outcome.
  } finally {
    clearTimeout(slow);
  }
  // The column has the type text, which cannot store NUL.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '');
}

/** Resolves with the response when its headers have arrived. */
const opening =
  (destinations: Destinations, settings: SenderSettings, agents: ReturnType<typeof createSenderAgents>) =>
  (
    { endpointId, headers, body }: Message,
    url: URL,
    withinMs: number,
    keepAlive = true,
  ): Promise<[IncomingMessage, () => void]> =>
    new Promise((resolve, reject) => {
      destinations.requireAddress(url, undefined);
      const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = start(url, {
        method: 'POST',
        agent: agents.of(endpointId, url, keepAlive),
        lookup: destinations.lookupFor(url),
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      });
      const orStale = watchReuse(request, settings.staleWithinMs);
      const end = (failure: SendFailure) => () => request.destroy(new AttemptFailure(failure));
      const total = setTimeout(end('timeout'), withinMs);
      let connecting: NodeJS.Timeout | undefined;
      const connected = (): void => {
        clearTimeout(connecting);
      };
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        // Start the timeout only now. Before, the request waited for a free connection of the
        // agent.
        connecting = setTimeout(end('connect_timeout'), settings.connectTimeoutMs);
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
        socket.once('connect', () => {
          try {
            destinations.requireAddress(url, socket.remoteAddress);
          } catch (error) {
            request.destroy(error as Error);
          }
        });
      });
      let interimCount = 0;
      request.on('information', () => {
        interimCount += 1;
        if (interimCount > mostInterim) end('malformed_response')();
      });
      request.on('response', (response) => {
        resolve([
          response,
          () => {
            clearTimeout(total);
          },
        ]);
      });
      request.on('error', (error) => {
        connected();
        clearTimeout(total);
        reject(orStale(error));
      });
      // The connection closed without a response, for example after an upgrade.
      request.on('close', () => {
        clearTimeout(total);
        reject(new AttemptFailure('malformed_response'));
      });
      request.end(body);
    });

export function createSender(destinations: Destinations, settings: SenderSettings) {
  const agents = createSenderAgents(settings);

  let isStopped = false;
  const open = opening(destinations, settings, agents);

  /**
   * Retries once on a new connection if the receiver had closed an idle one before its reuse. Other
   * idle connections may be closed too.
   */
  function openAgain(message: Message, url: URL): ReturnType<typeof open> {
    const endsAt = performance.now() + settings.totalTimeoutMs;
    return open(message, url, settings.totalTimeoutMs).catch((error: unknown) => {
      // Both attempts share one time limit: the lease and the partner's request depend on it.
      if (error instanceof StaleConnection) return open(message, url, endsAt - performance.now(), false);
      throw error;
    });
  }

  return {
    async send(message: Message): Promise<SendResult> {
      const startedAt = performance.now();
      const duration = (): number => Math.round(performance.now() - startedAt);
      try {
        const [response, done] = await openAgain(message, new URL(message.url));
        const status = response.statusCode ?? 0;
        const body = await readStart(response, settings.bodyTimeoutMs);
        done();
        const isSuccess = status >= 200 && status < 300;
        return {
          isSuccess,
          status,
          failure: isSuccess ? undefined : 'status',
          response: isSuccess ? undefined : body,
          retryAfterSeconds: isSuccess ? undefined : retryAfterOf(response.headers['retry-after']),
          durationMs: duration(),
        };
      } catch (error) {
        const failure =
          error instanceof AttemptFailure
            ? error.failure
            : error instanceof ForbiddenDestination
              ? 'forbidden_address'
              : failureOf(error);
        return {
          isSuccess: false,
          status: undefined,
          failure,
          response: undefined,
          retryAfterSeconds: undefined,
          durationMs: duration(),
        };
      }
    },
    /** Closes all connections, and opens no more. Requests in progress fail at once. */
    stop() {
      isStopped = true;
      agents.stop();
    },
    /** Whether `stop` was called. Failures are then not the receiver's. */
    get isStopped() {
      return isStopped;
    },
  };
}
