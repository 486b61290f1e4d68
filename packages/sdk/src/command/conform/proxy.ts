import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response that the proxy sends to the program. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The proxy's treatment of one request. By default, the proxy only forwards. */
export interface Treatment {
  /** A description for the report. */
  name: string;
  /** Whether the service gets the request, default true. */
  forward?: boolean;
  changeQuery?: (query: URLSearchParams) => void;
  wait?: () => Promise<void>;
  /** Replaces the response. */
  change?: (reply: Reply) => Reply;
  /** How the exchange ends. By default, the program gets the response. */
  end?: 'close' | 'half' | 'kill';
}

export type Operation =
  | 'create'
  | 'complete'
  | 'complete_many'
  | 'return'
  | 'list'
  | 'get'
  | 'projects'
  | 'component'
  | 'upload'
  | 'statement'
  | 'positions'
  | 'positions_summary'
  | 'can_close'
  | 'close'
  | 'other';

/** The operation of each method and path below the prefix. The first match decides. */
const routes: readonly (readonly [Operation, RegExp])[] = [
  ['create', /^(PUT \/contributions\/create|POST \/orders\/make|POST \/create\/payment)$/],
  ['complete', /^PUT \/contributions\/[^/]+$/],
  ['complete_many', /^POST \/contributions\/completions$/],
  ['return', /^POST \/contributions\/[^/]+\/returns$/],
  ['list', /^GET \/contributions$/],
  ['get', /^GET \/contributions\/[^/]+$/],
  ['projects', /^GET \/get\/projects$/],
  ['component', /^GET \/projects-stories$/],
  ['upload', /^POST \/statements$/],
  ['statement', /^GET \/statements\/[^/]+$/],
  ['positions', /^GET \/reconciliation$/],
  ['positions_summary', /^GET \/reconciliation\/summary$/],
  ['can_close', /^GET \/reconciliation\/can-close$/],
  ['close', /^POST \/reconciliation\/months\/[^/]+\/close$/],
];

export interface Received {
  method: string;
  operation: Operation;
  url: URL;
  key: string | undefined;
  body: Readonly<Record<string, unknown>>;
  /** The position among the requests of this operation in the case, from 1. */
  nth: number;
  /** The start of the program in the case, from 1. */
  step: number;
}

/** A request and its end, for the judge and the report. */
export interface Exchange extends Received {
  /** Milliseconds since the start of the case. */
  receivedAtMs: number;
  endedAtMs: number | undefined;
  treatment: string | undefined;
  /** The status that the program received. Undefined without a complete response. */
  status: number | undefined;
  reply: Readonly<Record<string, unknown>> | undefined;
}

const prefix = '/company/integration';

function operationOf(method: string, pathname: string): Operation {
  const path = pathname.slice(pathname.indexOf(prefix) + prefix.length);
  return routes.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? 'other';
}

export function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Headers that belong to one connection, or that the forwarded request states itself. */
const ofConnection =
  /^(host|connection|keep-alive|content-length|content-encoding|transfer-encoding|accept-encoding|expect|date)$/;

const badGateway: Reply = { status: 502, headers: {}, body: '' };

/** The server between the program and the service, for one case. */
export class Proxy {
  readonly exchanges: Exchange[] = [];
  treat: (request: Received) => Treatment | undefined = () => undefined;
  /** Ends the running programs at once. */
  kill: () => Promise<void> = async () => Promise.resolve();
  step = 0;
  readonly #server: Server;
  readonly #origin: string;
  readonly #startedAt = performance.now();
  #active = 0;

  private constructor(origin: string) {
    this.#origin = origin;
    this.#server = createServer((request, response) => {
      this.#active += 1;
      void this.#handle(request, response)
        .catch(() => response.destroy())
        .finally(() => (this.#active -= 1));
    });
  }

  static async start(origin: string): Promise<Proxy> {
    const proxy = new Proxy(origin);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    while (this.#active > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async stop(): Promise<void> {
    await this.idle();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #now(): number {
    return performance.now() - this.#startedAt;
  }

  async #forward(request: IncomingMessage, url: URL, body: Buffer): Promise<Reply> {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (!ofConnection.test(name) && value !== undefined) headers.set(name, String(value));
    }
    const response = await fetch(this.#origin + url.pathname + url.search, {
      method: request.method ?? 'GET',
      headers,
      body: body.length > 0 ? new Uint8Array(body) : null,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    return {
      status: response.status,
      headers: Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.test(name))),
      body: await response.text(),
    };
  }

  #record(request: IncomingMessage, body: Buffer): Exchange {
    const url = new URL(request.url ?? '/', 'http://proxy');
    const method = request.method ?? 'GET';
    const operation = operationOf(method, url.pathname);
    const key = request.headers['idempotency-key'];
    const exchange: Exchange = {
      method,
      operation,
      url,
      key: typeof key === 'string' ? key : undefined,
      body: objectOf(body.toString()),
      nth: this.exchanges.filter((each) => each.operation === operation).length + 1,
      step: this.step,
      receivedAtMs: this.#now(),
      endedAtMs: undefined,
      treatment: undefined,
      status: undefined,
      reply: undefined,
    };
    this.exchanges.push(exchange);
    return exchange;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const exchange = this.#record(request, body);
    const treatment: Partial<Treatment> = this.treat(exchange) ?? {};
    exchange.treatment = treatment.name;
    const target = new URL(exchange.url);
    treatment.changeQuery?.(target.searchParams);
    await treatment.wait?.();
    const original = (treatment.forward ?? true) ? await this.#forward(request, target, body) : badGateway;
    const reply = treatment.change?.(original) ?? original;
    if (treatment.end === 'kill') await this.kill();
    if (treatment.end === 'close' || treatment.end === 'kill') response.destroy();
    else await this.#send(response, reply, treatment.end === 'half');
    exchange.endedAtMs = this.#now();
    if (treatment.end !== undefined) return;
    exchange.status = reply.status;
    exchange.reply = objectOf(reply.body);
  }

  async #send(response: ServerResponse, { status, headers, body }: Reply, isHalf: boolean): Promise<void> {
    const bytes = Buffer.from(body);
    const hasBody = status !== 204 && status !== 304;
    response.writeHead(status, { ...headers, ...(hasBody && { 'Content-Length': bytes.length }) });
    if (!isHalf) {
      response.end(hasBody ? bytes : undefined);
      return;
    }
    await new Promise((resolve) => response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), resolve));
    response.destroy();
  }
}
