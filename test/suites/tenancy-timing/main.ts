import http from 'node:http';
import { once } from 'node:events';

import { generateTransactionId, parseTransactionId } from '../../../src/shared/transaction-id';
import { createServiceDatabase } from '../../../src/startup/service-database';
import { createContributionsStore } from '../../../src/core/contributions/contributions.store';
import type { Principal } from '../../../src/shared/scopes';
import { systemClock } from '../../../src/shared/clock';
import { addProject } from '../../support/catalogue';
import type { Client } from '../../support/client';
import setUp from '../../support/global-setup';
import tearDown from '../../support/global-teardown';
import { startService, type TestService } from '../../support/service';
import { compare } from './statistics';

/**
 * `npm run test:suite tenancy-timing`: tests whether response times distinguish another company's
 * transaction from an id that was never issued. An unrelated company and a bank whose link has
 * ended request both alternately, in random order. They do so over HTTP and directly at the store,
 * where less noise hides a difference. Exits with 1 when the medians differ by more than the noise,
 * which is the difference between the medians of two random halves of the same measurements.
 *
 * Other load on the machine can hide a difference, but cannot create one. So the test also measures
 * a known difference (a mistyped id, which runs no statement), and exits with 2 when it cannot
 * detect that.
 *
 *   MEASURE_ROUNDS=20000 npm run test:suite tenancy-timing
 */
const rounds = Number(process.env['MEASURE_ROUNDS'] ?? 5_000);
const warmUpRounds = 500;
const transactionCount = 2_000;

const nothingSaid = { amountCents: undefined, bankReference: undefined, valueDate: undefined };

type Ask = (transactionId: string) => Promise<unknown>;

/** Nanoseconds of each of two requests, measured alternately. */
async function alternately(
  ask: Ask,
  first: () => string,
  second: () => string,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const order = Math.random() < 0.5 ? [0, 1] : [1, 0];
    for (const which of order as (0 | 1)[]) {
      const id = which === 0 ? first() : second();
      const startedAt = process.hrtime.bigint();
      await ask(id);
      const duration = Number(process.hrtime.bigint() - startedAt);
      if (round >= 0) times[which].push(duration);
    }
  }
  return times;
}

function overHttp(service: TestService, client: Client, method: 'GET' | 'PUT'): Ask {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const body = method === 'PUT' ? JSON.stringify({ status: 'completed' }) : '';
  return async (id) => {
    const request = http.request({
      agent,
      port: service.port,
      method,
      path: `/company/integration/contributions/${id}`,
      headers: {
        'API-Key': client.apiKey,
        'API-Secret': client.apiSecret,
        ...(method === 'PUT' ? { 'Content-Type': 'application/json' } : {}),
        'Content-Length': body.length,
      },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    if (response.statusCode !== 404) throw new Error(`status ${response.statusCode}, not 404`);
  };
}

async function principalOf(service: TestService, name: string, client: Client): Promise<Principal> {
  const { rows } = await service.database.admin.query<{ environment_id: number; transaction_tag: string }>(
    `SELECT environment_id, transaction_tag FROM environments JOIN companies USING (company_id)
      WHERE name = $1 AND kind = 'test'`,
    [name],
  );
  return {
    apiKey: client.apiKey!,
    environmentId: rows[0]!.environment_id,
    environmentKind: 'test',
    transactionTag: rows[0]!.transaction_tag,
    faultyOperations: [],
    isFrozen: false,
    scopes: [],
    rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
  };
}

const microseconds = (nanoseconds: number): string => (nanoseconds / 1_000).toFixed(1).padStart(9);

async function measure(): Promise<number> {
  const service = await startService({ settings: { LOG_LEVEL: 'error' } });
  const database = createServiceDatabase(service.config, service.database.url, service.logger);
  const store = createContributionsStore(database, systemClock);
  try {
    const projectId = await addProject(service.database.admin);
    const owner = await service.addCompany();
    const bank = await service.addCompany();
    const stranger = await service.addCompany();
    await service.companies.linkBank('test', owner.name, bank.name);
    await service.companies.unlinkBank('test', owner.name, bank.name);
    const ids: string[] = [];
    while (ids.length < transactionCount) {
      const body = { project_id: projectId, amount: '1.00', user_hash: `user-${ids.length}` };
      const response = await owner.test.put('/company/integration/contributions/create', body).expect(201);
      ids.push(response.body.transaction_id as string);
    }
    await service.database.admin.query('ANALYZE');

    const tag = ids[0]!.slice(0, 4);
    const theirs = (): string => ids[Math.floor(Math.random() * ids.length)]!;
    const never = (): string => generateTransactionId(tag, new Date());
    const mistyped = (): string => never().slice(0, -1) + '*';

    const callers: [string, Principal, Client][] = [
      ['a stranger', await principalOf(service, stranger.name, stranger.test), stranger.test],
      ['a bank no longer linked', await principalOf(service, bank.name, bank.test), bank.test],
    ];
    let differing = 0;
    process.stdout.write(
      `${'medians in microseconds'.padEnd(52)}   theirs     never  distance of halves (99 %)\n`,
    );
    async function report(what: string, ask: Ask, first = theirs): Promise<boolean> {
      const { medianOfFirst, medianOfSecond, distance, spread, areDistinguishable } = compare(
        ...(await alternately(ask, first, never)),
      );
      const figures = [medianOfFirst, medianOfSecond, distance, spread].map(microseconds).join(' ');
      process.stdout.write(
        `${what.padEnd(52)}${figures}  ${areDistinguishable ? 'distinguished' : 'the same'}\n`,
      );
      return areDistinguishable;
    }
    for (const [who, principal, client] of callers) {
      const cases: [string, Ask][] = [
        ['reads it, over HTTP', overHttp(service, client, 'GET')],
        ['completes it, over HTTP', overHttp(service, client, 'PUT')],
        ['reads it, at the store', (id) => store.find(principal, parseTransactionId(id)!)],
        [
          'completes it, at the store',
          (id) => store.complete(principal, parseTransactionId(id)!, nothingSaid),
        ],
      ];
      for (const [what, ask] of cases) if (await report(`${who} ${what}`, ask)) differing += 1;
    }
    const sees = await report(
      "a mistyped id instead of another company's",
      overHttp(service, stranger.test, 'GET'),
      mistyped,
    );
    if (!sees) return 2;
    return differing > 0 ? 1 : 0;
  } finally {
    await database.close();
    await service.stop();
  }
}

async function main(): Promise<void> {
  await setUp();
  try {
    process.exitCode = await measure();
  } finally {
    await tearDown();
  }
}

void main();
