import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver received. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The event. */
  event: { id: string; type: string; sequence: number; data: Record<string, unknown> };
  at: number;
}

/** Handles a request. It may send no response. */
export type Behavior = (received: Received, response: ServerResponse, count: number) => void;

export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** Changes how it responds. */
  behave(behavior: Behavior): void;
  stop(): Promise<void>;
}

export const accept: Behavior = (_received, response) => {
  response.writeHead(204).end();
};
export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Behavior =>
  (_received, response) => {
    response.writeHead(status, headers).end(body);
  };
export const hang: Behavior = () => undefined;

/** A real receiver on this machine. It accepts every webhook until told otherwise. */
export async function startReceiver(behavior: Behavior = accept, port = 0): Promise<WebhookReceiver> {
  let behaves = behavior;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      const event = JSON.parse(body) as Received['event'];
      const one = { path: request.url ?? '', headers: request.headers, body, event, at: Date.now() };
      received.push(one);
      behaves(one, response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    behave(next) {
      behaves = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
