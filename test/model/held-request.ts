import { request } from 'node:http';

import type { Call, Exchange } from '../faults/clients/http';

/**
 * Sends the head of a request, does something as soon as the service has read that, and only then sends the body. The
 * service looks at the credentials when it has the head, so what is done comes between that and the rest of its work.
 */
export function sendHeld(
  port: number,
  { method, path, pair, body, headers }: Call,
  meanwhile: () => Promise<void>,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const content = JSON.stringify(body);
    let sentAt = Date.now();
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        agent: false,
        method,
        path: `/company/integration/${path}`,
        headers: {
          'API-Key': pair.apiKey,
          'API-Secret': pair.apiSecret,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(content),
          // The service says "continue" before it does anything else.
          Expect: '100-continue',
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const parsed = JSON.parse(text) as Record<string, unknown>;
          const answer = { status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed };
          resolve({ sentAt, receivedAt: Date.now(), answer });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.on('continue', () => {
      meanwhile().then(() => {
        sentAt = Date.now();
        outgoing.end(content);
      }, reject);
    });
    outgoing.flushHeaders();
  });
}
