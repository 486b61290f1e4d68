import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import type { TenantEnvironment, Tenants } from '../faults/clients/environments';
import type { KeyPair } from '../faults/clients/http';

export interface LoadOptions {
  /** haproxy's HTTPS port. */
  port: number;
  /** The certificate that the clients trust. */
  ca: Buffer;
  tenants: Tenants;
  /** The number of clients, each with one persistent connection. */
  clients: number;
  /** How often each client creates, completes and reads. A slower machine gets longer pauses. */
  everyMs: number;
}

/** The clients' results. */
export interface Seen {
  /** Expected responses by operation. */
  responses: { create: number; complete: number; read: number };
  /** All other results, with their time. */
  failures: string[];
  connections: number;
  slowestMs: number;
}

export interface Load {
  readonly seen: Seen;
  /** Finishes all started work. */
  stop(): Promise<void>;
}

type Kind = keyof Seen['responses'];
const responseTimeoutMs = 30_000;
/** Before the load starts, each client measures how long its requests take, without pauses. */
const measuredCycles = 5;
/** A client starts a cycle at most this often: after three times as long as a cycle takes. */
const periodInCycles = 3;

/**
 * Clients with persistent connections that send at a steady rate and never retry. Any unexpected
 * response is a failure, even if a partner would simply retry.
 */
export function startLoad({ port, ca, tenants, clients, everyMs }: LoadOptions): Load {
  const seen: Seen = {
    responses: { create: 0, complete: 0, read: 0 },
    failures: [],
    connections: 0,
    slowestMs: 0,
  };
  let isOver = false;

  async function send(
    agent: Agent,
    kind: Kind,
    pair: KeyPair,
    { method, path, expected, body }: { method: string; path: string; expected: number; body?: object },
  ): Promise<Record<string, unknown> | undefined> {
    const startedAt = performance.now();
    const content = body === undefined ? '' : JSON.stringify(body);
    const outgoing = request({
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      ca,
      agent,
      method,
      path: `/company/integration/${path}`,
      timeout: responseTimeoutMs,
      headers: {
        'API-Key': pair.apiKey,
        'API-Secret': pair.apiSecret,
        'Content-Length': Buffer.byteLength(content),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.once('socket', (socket) => {
      if (socket.connecting) seen.connections += 1;
    });
    outgoing.end(content);
    let outcome: string;
    try {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      if (incoming.statusCode === expected) {
        seen.responses[kind] += 1;
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
        return JSON.parse(text) as Record<string, unknown>;
      }
      outcome = `${incoming.statusCode} ${text.slice(0, 300)}`;
    } catch (error) {
      outcome = String(error);
    }
    const afterMs = Math.round(performance.now() - startedAt);
    seen.failures.push(`${new Date().toISOString()} ${method} ${path} after ${afterMs} ms: ${outcome}`);
    return undefined;
  }

  async function cycle(agent: Agent, environment: TenantEnvironment, number: number): Promise<void> {
    const { company, completer } = environment;
    const project = tenants.activeProjects[number % tenants.activeProjects.length];
    const user = `user-${number % 100}`;
    const created = await send(agent, 'create', company, {
      method: 'PUT',
      path: 'contributions/create',
      expected: 201,
      body: { project_id: project, amount: '1.00', user_hash: user },
    });
    if (created !== undefined) {
      const path = `contributions/${String(created['transaction_id'])}`;
      const body = { status: 'completed' };
      await send(agent, 'complete', completer, { method: 'PUT', path, expected: 200, body });
      await send(agent, 'read', company, { method: 'GET', path, expected: 200 });
    }
    const path = `projects-stories?user_hash=${user}`;
    await send(agent, 'read', company, { method: 'GET', path, expected: 200 });
  }

  async function client(index: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const environment = tenants.environments[index % tenants.environments.length];
    if (environment === undefined) throw new Error('there is no environment');
    const startedAt = performance.now();
    for (let number = 0; number < measuredCycles; number += 1)
      await cycle(agent, environment, index + number);
    const cycleMs = (performance.now() - startedAt) / measuredCycles;
    const periodMs = Math.max(everyMs, cycleMs * periodInCycles);
    for (let number = index + measuredCycles; !isOver; number += 1) {
      const pause = delay(periodMs);
      await cycle(agent, environment, number);
      await pause;
    }
    agent.destroy();
  }

  const running = Array.from({ length: clients }, (_, index) => client(index));
  return {
    seen,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
