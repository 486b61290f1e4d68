import { Client as PostgresClient, escapeLiteral } from 'pg';
import { v7 as uuidv7 } from 'uuid';

import { sessionConfig } from '../../src/db/session-settings';
import { completeContribution } from '../../src/core/contributions/complete-contribution.query';
import { findContribution } from '../../src/core/contributions/contributions.store';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { collectNestedPlans, type NestedPlan, reportPlans } from '../support/nested-plans';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * PostgreSQL uses one statement and one plan for another company's ids and for ids that were never
 * issued. tenancy-matrix.test.ts checks the statements. The table has some thousand contributions,
 * because PostgreSQL scans a table of one page.
 */
const contributions = '/company/integration/contributions';

let service: TestService;
let stranger: TestCompany;
let formerBank: TestCompany;
let connection: PostgresClient;
let nestedPlans: () => NestedPlan[];
let theirs: { oldest: string; one: string; newest: string };
let never: string;

beforeAll(async () => {
  service = await startService();
  const { admin } = service.database;
  const projectId = await addProject(admin);
  const owner = await service.addCompany();
  stranger = await service.addCompany();
  formerBank = await service.addCompany();
  await service.companies.linkBank('test', owner.name, formerBank.name);
  await service.companies.unlinkBank('test', owner.name, formerBank.name);
  const body = { project_id: projectId, amount: '1.00', user_hash: 'a-user' };
  const created = await owner.test.put(`${contributions}/create`, body).expect(201);
  const first = created.body.transaction_id as string;
  const lastYear = Date.now() - 31_536_000_000;
  const older = Array.from({ length: 5000 }, (_, place) =>
    generateTransactionId(first.slice(0, 4), new Date(lastYear + place * 1000)),
  );
  await admin.query(
    `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
            created_by_api_key, created_at)
     SELECT environment_id, copy, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at
       FROM transactions, unnest($1::text[]) AS copy`,
    [older],
  );
  theirs = { oldest: older[0]!, one: older[2500]!, newest: first };
  // The statistics stay the same between the two plans.
  for (const table of ['transactions', 'users', 'environments', 'bank_links', 'key_pairs']) {
    await admin.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }
  await admin.query('ANALYZE');
  never = generateTransactionId(first.slice(0, 4), new Date());
  await reportPlans(service.database);
  connection = new PostgresClient(sessionConfig({ connectionString: service.database.url }));
  nestedPlans = collectNestedPlans(connection);
  await connection.connect();
});
afterAll(async () => {
  await connection.end();
  await service.stop();
});

async function ownerOf(tag: string): Promise<string> {
  const { rows } = await service.database.admin.query<{ id: number }>(
    'SELECT environment_id AS id FROM environments WHERE transaction_tag = $1',
    [tag],
  );
  return String(rows[0]!.id);
}

async function callerOf(company: TestCompany): Promise<string> {
  const { rows } = await service.database.admin.query<{ id: number }>(
    'SELECT environment_id AS id FROM key_pairs WHERE api_key = $1',
    [company.test.apiKey],
  );
  return String(rows[0]!.id);
}

/**
 * The plan for these values, with parameter positions in place of values and without the estimates.
 * The number of transactions that are older than an id differs from id to id, for every owner.
 */
async function planFor(name: string, values: readonly string[]): Promise<string> {
  const result = await connection.query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE ${name} (${values.join(', ')})`,
  );
  return withoutIds(JSON.stringify(result.rows[0]!['QUERY PLAN'], undefined, 1));
}

function withoutIds(plan: string): string {
  return [...Object.values(theirs), never].reduce((text, id) => text.replaceAll(id, 'transaction_id'), plan);
}

/** Runs the statement and describes the plans of the statements inside its function. */
async function plansInside(name: string, values: readonly string[]): Promise<string> {
  nestedPlans();
  await connection.query(`EXECUTE ${name} (${values.join(', ')})`);
  return withoutIds(
    JSON.stringify(nestedPlans(), (key, value: unknown) => (isEstimate.test(key) ? undefined : value), 1),
  );
}

const isEstimate = /^(Startup Cost|Total Cost|Plan Rows|Plan Width)$/;

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  test.each<[string, 'get' | 'put', () => TestCompany]>([
    ['reading, by a stranger', 'get', () => stranger],
    ['completing, by a stranger', 'put', () => stranger],
    ['reading, by a bank no longer linked', 'get', () => formerBank],
    ['completing, by a bank no longer linked', 'put', () => formerBank],
  ])(
    "the plan of %s is the same for another company's data and for data that does not exist",
    async (_what, method, who) => {
      const caller = who();
      const { text } = method === 'get' ? findContribution : completeContribution;
      await connection.query(`DEALLOCATE ALL; SET plan_cache_mode = ${mode}`);
      await connection.query(`PREPARE statement_of_the_service AS ${text}`);
      const tag = never.slice(0, 4);
      const valuesFor = async (id: string): Promise<string[]> =>
        method === 'get'
          ? [await callerOf(caller), await ownerOf(tag), escapeLiteral(id)]
          : [
              await callerOf(caller),
              escapeLiteral(caller.test.apiKey!),
              escapeLiteral(tag),
              escapeLiteral(id),
              'NULL',
              'NULL',
              'NULL',
              `'${uuidv7()}'`,
            ];
      const plansFor = method === 'get' ? planFor : plansInside;
      const plan = await plansFor('statement_of_the_service', await valuesFor(never));
      expect(plan).toMatch(/"Relation Name": "transactions(_\d+)?"/);
      for (const id of Object.values(theirs)) {
        expect(await plansFor('statement_of_the_service', await valuesFor(id))).toBe(plan);
      }
    },
  );
});
