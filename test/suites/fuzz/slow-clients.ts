import { connect, type Socket } from 'node:net';

import { settings } from '../../../src/service.settings';
import type { KeyPair } from '../../../src/core/key-pairs/credentials';
import { readResponses } from './oracle/responses';
import { codeOf } from './oracle/documented';

/** Clients that never finish a request, connected while others are served. */
export interface SlowClients {
  /** Disconnects the remaining ones. */
  stop(): Promise<void>;
  /** The number of clients that the service has disconnected. */
  readonly disconnected: number;
  describe(): string;
  /** What the service did wrong. */
  flaws(): string[];
}

/** The documented limits in milliseconds. */
export interface SlowLimits {
  readonly headersMs: number;
  readonly requestMs: number;
}

/** The documented default values. */
function documentedLimits(): SlowLimits {
  const { HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } = settings.parse({});
  return { headersMs: HEADERS_TIMEOUT_MS, requestMs: REQUEST_TIMEOUT_MS };
}

interface SlowKind {
  readonly name: string;
  readonly first: string;
  /** Data that is sent from time to time. */
  readonly drip: string;
  readonly limit: keyof SlowLimits;
}

/** @param credentials header lines of a key pair that may create */
function slowKinds(credentials: string): readonly SlowKind[] {
  const head = `PUT /company/integration/contributions/create HTTP/1.1\r\nHost: service.example\r\nX-Forwarded-Proto: https\r\n`;
  const body = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
  const chunks = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  return [
    { name: 'silent', first: '', drip: '', limit: 'headersMs' },
    { name: 'request line', first: 'PUT /comp', drip: 'a', limit: 'headersMs' },
    { name: 'headers', first: head, drip: 'X-Drip: a\r\n', limit: 'headersMs' },
    { name: 'body', first: head + credentials + body, drip: ' ', limit: 'requestMs' },
    { name: 'chunks', first: head + credentials + chunks, drip: '1\r\n \r\n', limit: 'requestMs' },
    { name: 'body, no credentials', first: head + body, drip: ' ', limit: 'requestMs' },
  ];
}

/** The service checks connections once a second. */
const graceMs = 1_500;
const dripEveryMs = 400;
const tickMs = 20;

/**
 * Keeps slow clients of each kind connected, and replaces those that are disconnected.
 *
 * @param count the number of concurrent clients
 */
export function keepSlowClients(
  port: number,
  { apiKey, apiSecret }: KeyPair,
  count = 30,
  limits = documentedLimits(),
): SlowClients {
  const kinds = slowKinds(`API-Key: ${apiKey}\r\nAPI-Secret: ${apiSecret}\r\n`);
  const sockets = new Set<Socket>();
  const flaws: string[] = [];
  const lastedMs: Record<keyof SlowLimits, number> = { headersMs: 0, requestMs: 0 };
  // CPU time available to this process: on a busy machine the service may have been delayed as
  // well.
  let hadMs = 0;
  const clock = setInterval(() => (hadMs += tickMs), tickMs);
  let disconnected = 0;
  let isOver = false;

  async function live(kind: SlowKind): Promise<void> {
    const startedAt = hadMs;
    const socket = connect(port, '127.0.0.1');
    sockets.add(socket);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    if (kind.first !== '') socket.write(kind.first);
    const drip = setInterval(() => {
      if (kind.drip !== '' && socket.writable) socket.write(kind.drip);
    }, dripEveryMs);
    await new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
    clearInterval(drip);
    sockets.delete(socket);
    if (isOver) return;
    const ms = hadMs - startedAt;
    disconnected += 1;
    lastedMs[kind.limit] = Math.max(lastedMs[kind.limit], ms);
    const { name } = kind;
    if (ms > limits[kind.limit] + graceMs)
      flaws.push(`a slow client (${name}) was there for ${Math.round(ms)} ms`);
    const { responses, flaw } = readResponses(Buffer.concat(received), () => false);
    if (flaw !== undefined || responses.length > 1)
      flaws.push(`a slow client (${name}) was sent ${flaw ?? 'two responses'}`);
    // Clients without credentials get 401 before their body arrives; all others get a timeout.
    const codes = responses.map(codeOf);
    if (codes.some((code) => code !== 'request_timeout' && code !== 'credentials_malformed')) {
      flaws.push(`a slow client (${name}) got ${codes.join(', ')}`);
    }
  }

  async function succession(number: number): Promise<void> {
    for (let next = number; !isOver; next += 1) {
      const kind = kinds[next % kinds.length];
      if (kind) await live(kind);
    }
  }

  const all = Promise.all(Array.from({ length: count }, (_, number) => succession(number)));
  return {
    get disconnected() {
      return disconnected;
    },
    async stop() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
      await all;
      clearInterval(clock);
    },
    describe: () =>
      `${disconnected} cut off; the longest lasted ${Math.round(lastedMs.headersMs)} ms (limit for headers ${limits.headersMs} ms) and ${Math.round(lastedMs.requestMs)} ms (limit for a request ${limits.requestMs} ms)`,
    flaws: () => [...new Set(flaws)].slice(0, 20),
  };
}
