import { Agent, request } from 'node:http';

export interface KeyPair {
  apiKey: string;
  apiSecret: string;
}

/** A response with its times; `response` is undefined when none arrived. */
export interface Exchange {
  sentAt: number;
  receivedAt: number;
  response:
    | {
        status: number;
        headers: Record<string, string | string[] | undefined>;
        body: Record<string, unknown>;
      }
    | undefined;
}

export interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH';
  path: string;
  pair: KeyPair;
  body?: object;
  headers?: Record<string, string>;
  /** The client's timeout. */
  abandonAfterMs?: number;
}

/**
 * A partner's HTTP client behind a proxy that terminates TLS: keep-alive connections, a timeout,
 * and no automatic retries.
 */
export interface HttpClient {
  send(call: Call): Promise<Exchange>;
  close(): void;
}

const responseTimeoutMs = 12_000;

export function createHttpClient(port: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  return {
    send: (call) =>
      new Promise((resolve) => {
        const sentAt = Date.now();
        const finish = (response?: Exchange['response']): void => {
          clearTimeout(timer);
          resolve({ sentAt, receivedAt: Date.now(), response });
        };
        const content = call.body ? JSON.stringify(call.body) : undefined;
        const outgoing = request(
          {
            host: '127.0.0.1',
            port,
            agent,
            method: call.method,
            path: `/company/integration/${call.path}`,
            headers: {
              'API-Key': call.pair.apiKey,
              'API-Secret': call.pair.apiSecret,
              'X-Forwarded-Proto': 'https',
              ...(content === undefined
                ? {}
                : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
              ...call.headers,
            },
          },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
            incoming.on('error', () => {
              finish();
            });
            incoming.on('end', () => {
              const body = parse(Buffer.concat(chunks).toString('utf8'));
              // An incomplete response counts as none.
              finish(body && { status: incoming.statusCode ?? 0, headers: incoming.headers, body });
            });
          },
        );
        const timer = setTimeout(() => outgoing.destroy(), call.abandonAfterMs ?? responseTimeoutMs);
        outgoing.on('error', () => {
          finish();
        });
        outgoing.end(content);
      }),
    close() {
      agent.destroy();
    },
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
