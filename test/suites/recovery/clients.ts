import { setTimeout as delay } from 'node:timers/promises';

import type { Tenants } from '../faults/clients/environments';
import type { Exchange, HttpClient } from '../faults/clients/http';
import type { Contribution, History } from './history';

const workers = 4;
const pauseMs = 20;

/**
 * The senders: partners with an Idempotency-Key on every create, and banks with evidence on every
 * completion.
 */
export interface Clients {
  /** Creates a contribution; undefined when no response confirmed it. */
  create(): Promise<Contribution | undefined>;
  repeatCreate(contribution: Contribution): Promise<Exchange>;
  complete(contribution: Contribution): Promise<boolean>;
  repeatCompletion(contribution: Contribution): Promise<Exchange>;
}

export function createClients(http: HttpClient, history: History, tenants: Tenants): Clients {
  const isDone = (exchange: Exchange, status: number): boolean => {
    const { response } = exchange;
    // The database fails during a run. Only a response that rejects the request is a fault of the
    // service.
    if (response && response.status >= 400 && response.status < 500 && response.status !== 408)
      history.complaints.push(`${response.status} ${JSON.stringify(response.body)}`);
    return response?.status === status;
  };

  function intend(): Contribution {
    const number = history.contributions.length + 1;
    const environment = pick(tenants.environments, number);
    const contribution: Contribution = {
      environment,
      amountCents: number,
      userHash: `user-${number % 200}`,
      projectId: pick(tenants.activeProjects, number),
      idempotencyKey: `recovery-${number}`,
      bankReference: `transfer-${number}`,
      create: history.send(),
      transactionId: undefined,
      completion: undefined,
    };
    history.contributions.push(contribution);
    return contribution;
  }

  const repeatCreate = ({ environment, ...asked }: Contribution): Promise<Exchange> =>
    http.send({
      method: 'PUT',
      path: 'contributions/create',
      pair: environment.company,
      headers: { 'Idempotency-Key': asked.idempotencyKey },
      body: {
        project_id: asked.projectId,
        amount: (asked.amountCents / 100).toFixed(2),
        user_hash: asked.userHash,
      },
    });

  const repeatCompletion = ({ environment, ...asked }: Contribution): Promise<Exchange> =>
    http.send({
      method: 'PUT',
      path: `contributions/${asked.transactionId ?? ''}`,
      pair: environment.completer,
      body: {
        status: 'completed',
        amount: (asked.amountCents / 100).toFixed(2),
        bank_reference: asked.bankReference,
      },
    });

  return {
    repeatCreate,
    repeatCompletion,
    async create() {
      const contribution = intend();
      const exchange = await repeatCreate(contribution);
      if (!isDone(exchange, 201)) return undefined;
      contribution.transactionId = String(exchange.response?.body['transaction_id']);
      history.acknowledge(contribution.create);
      return contribution;
    },
    async complete(contribution) {
      const step = history.send();
      contribution.completion = step;
      const hasWorked = isDone(await repeatCompletion(contribution), 200);
      if (hasWorked) history.acknowledge(step);
      return hasWorked;
    },
  };
}

function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('there is no contribution to choose from');
  return item;
}

/** Running clients. Each continues with the next contribution, whatever the result of the last. */
export function startLoad(clients: Clients): { stop(): Promise<void> } {
  let isOver = false;
  async function work(): Promise<void> {
    for (let count = 1; !isOver; count += 1) {
      const contribution = await clients.create();
      // One in five stays pending.
      if (contribution && count % 5 > 0) await clients.complete(contribution);
      await delay(pauseMs);
    }
  }
  const working = Array.from({ length: workers }, work);
  return {
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}
