import { Agent, type IncomingMessage, request } from 'node:http';

import { get, put, type RequestSpec } from '../operations';
import type { Tenant } from '../world/tenant';
import { linkedCompanies, type Side } from './side';

export const operations = ['create', 'complete', 'main component', 'find', 'list'] as const;
export type Operation = (typeof operations)[number];

const users = 100;
/** Contributions of each company that its bank has not completed. */
const pendingEach = 20;
export const bankLimit = 100;

/** Sends requests to one side. */
export interface Requests {
  /** Runs the service and sends it requests on new connections, then stops it. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Sends one request of an operation. @returns milliseconds */
  play(operation: Operation): Promise<number>;
  /** Creates the contributions that as many completions will complete. */
  prepare(operation: Operation, count: number): Promise<void>;
  /** Creates the pending contributions of the bank's companies. */
  fillBank(): Promise<void>;
  /** The bank lists its pending contributions. @returns milliseconds */
  listOfBank(): Promise<number>;
}

export function createRequests({ program, company, bank, linked }: Side): Requests {
  const agent = new Agent({ keepAlive: true });
  const pending: string[] = [];
  /** A completed contribution, which `find` reads. */
  let completed = '';
  let created = 0;

  async function send(spec: RequestSpec): Promise<{ ms: number; body: Record<string, unknown> }> {
    const sentAt = performance.now();
    const { status, text } = await exchange(agent, program.port, spec);
    const ms = performance.now() - sentAt;
    if (status >= 300) throw new Error(`${spec.method} ${spec.path}: ${status} ${text}`);
    return { ms, body: JSON.parse(text) as Record<string, unknown> };
  }

  async function create(tenant: Tenant): Promise<{ ms: number; id: string }> {
    created += 1;
    const contribution = { project_id: 1, amount: '5.00', user_hash: `user-${created % users}` };
    const { ms, body } = await send(put(tenant, '/contributions/create', contribution));
    return { ms, id: String(body['transaction_id']) };
  }

  async function complete(): Promise<number> {
    completed = pending.pop() ?? '';
    return (await send(put(company, `/contributions/${completed}`, { status: 'completed' }))).ms;
  }

  const plays: Record<Operation, () => Promise<number>> = {
    create: async () => (await create(company)).ms,
    complete,
    'main component': async () => (await send(get(company, '/projects-stories?user_hash=user-1'))).ms,
    find: async () => (await send(get(company, `/contributions/${completed}`))).ms,
    list: async () => (await send(get(company, '/contributions?limit=20'))).ms,
  };

  return {
    turn: (work) =>
      program.whileRunning(async () => {
        try {
          return await work();
        } finally {
          // The service closes idle connections.
          agent.destroy();
        }
      }),
    play: (operation) => plays[operation](),
    async prepare(operation, count) {
      while (operation === 'complete' && pending.length < count) pending.push((await create(company)).id);
    },
    async fillBank() {
      if (linked.length !== linkedCompanies) throw new Error('the bank lacks companies');
      for (const tenant of linked) for (let count = 0; count < pendingEach; count += 1) await create(tenant);
    },
    listOfBank: async () => (await send(get(bank, `/contributions?status=pending&limit=${bankLimit}`))).ms,
  };
}

function exchange(
  agent: Agent,
  port: number,
  { method, path, headers, body }: RequestSpec,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const receive = (incoming: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    };
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    request({ host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...length } }, receive)
      .on('error', reject)
      .end(body);
  });
}
