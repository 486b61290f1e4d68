import type { Response } from 'supertest';
import type { z } from 'zod';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import type { EndpointContract } from '../../src/http/contract';
import { addProject } from './catalogue';
import type { Client } from './client';
import { startService, type TestCompany, type TestService } from './service';
import { addStatementAccount } from './statement-accounts';
import { StoredDays } from './stored-days';

/** The service, whose days only tests compare. */
export async function startReports() {
  const service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 3_600_000 });
  const pool = createOperatorDatabase(service.database.url);
  const projectId = await addProject(service.database.admin);
  return {
    service,
    pool,
    projectId,
    async stop() {
      await pool.close();
      await service.stop();
    },
  };
}

export type Reports = Awaited<ReturnType<typeof startReports>>;

/** A company in its test environment, with an account and contributions. */
export async function addReporter({ service, pool, projectId }: Reports, amounts: readonly string[] = []) {
  const company = await service.addCompany();
  const { rows } = await service.database.admin.query<{ id: number }>(
    `SELECT e.environment_id AS id FROM environments e JOIN companies c ON c.company_id = e.company_id
      WHERE c.name = $1 AND e.kind = 'test'`,
    [company.name],
  );
  const environmentId = rows[0]!.id;
  const ids: string[] = [];
  for (const amount of amounts) {
    const body = { project_id: projectId, amount, user_hash: 'a-donor' };
    const created = await company.test.put('/company/integration/contributions/create', body).expect(201);
    ids.push((created.body as { transaction_id: string }).transaction_id);
  }
  return new Reporter(service, pool, company, environmentId, ids, amounts);
}

const centsOf = (amount: string): bigint => BigInt(Math.round(Number(amount) * 100));

export class Reporter {
  readonly client: Client;

  constructor(
    readonly service: TestService,
    readonly pool: Database,
    readonly company: TestCompany,
    readonly environmentId: number,
    /** The transaction ids of its contributions. */
    readonly ids: readonly string[],
    readonly amounts: readonly string[],
  ) {
    this.client = company.test;
  }

  async addAccount(): Promise<StoredDays> {
    const { admin } = this.service.database;
    const account = await addStatementAccount(admin, this.environmentId);
    return new StoredDays(admin, this.pool, account, {
      tags: new Set(this.ids.map((id) => id.slice(0, 4))),
      contributions: new Map(
        this.ids.map((transactionId, at) => [
          transactionId,
          { transactionId, environmentId: this.environmentId, amountCents: centsOf(this.amounts[at]!) },
        ]),
      ),
      ...{ settlements: new Map(), returns: new Set() },
      reset: { ids: new Set(), references: new Set() },
    });
  }

  get(path: string): Promise<Response> {
    return this.client.raw('get', `/company/integration/${path}`);
  }

  /** The body of a response, which must be as the contract says. */
  async read<C extends EndpointContract & { responses: { 200: { body: z.ZodType } } }>(
    contract: C,
    path: string,
  ): Promise<z.output<C['responses'][200]['body']>> {
    const { status, body } = await this.get(path);
    expect([status, body]).toEqual([200, expect.anything()]);
    return contract.responses[200].body.parse(body) as z.output<C['responses'][200]['body']>;
  }

  csv(path: string): Promise<Response> {
    return this.client.raw('get', `/company/integration/${path}`).set('Accept', 'text/csv');
  }
}
