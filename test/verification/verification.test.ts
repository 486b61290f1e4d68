import { createReadOnlyDatabase } from '../../src/db/operator-database';
import {
  createVerificationService,
  verificationChecks,
  type VerificationReport,
} from '../../src/modules/verification/verification.service';
import { createVerificationStore } from '../../src/modules/verification/verification.store';
import { addProject, addStory } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService } from '../support/service';
import { type Planted, plants } from './plants';

const create = '/company/integration/contributions/create';
const userHash = 'canary-hash';
const firstName = 'Canary';

let database: TestDatabase;
let ids: Planted;

async function verify(database: TestDatabase): Promise<VerificationReport> {
  const readOnly = createReadOnlyDatabase(database.ownerUrl);
  try {
    return await createVerificationService(createVerificationStore(readOnly)).verify(() => undefined);
  } finally {
    await readOnly.close();
  }
}

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

const broken = (report: VerificationReport): string[] =>
  report.checks.filter(({ violationCount }) => violationCount > 0).map(({ check }) => check);

beforeAll(async () => {
  database = await createTestDatabase();
  const service = await startService({ database });
  const { admin } = database;
  const projectId = await addProject(admin);
  const storyId = await addStory(admin, projectId);
  const company = await service.addCompany('Own');
  const banked = await service.addCompany('Banked');
  const bank = await service.addCompany('Bank');
  await service.companies.linkBank('production', 'Banked', 'Bank');
  const body = { project_id: projectId, amount: '12.34', user_hash: userHash, name: firstName };
  const created = async (client: typeof company.production, key: string): Promise<string> => {
    const answer = await client.put(create, body).set('Idempotency-Key', key).expect(201);
    return answer.body.transaction_id as string;
  };
  const pending = await created(company.production, 'canary-key-1');
  const completed = await created(company.production, 'canary-key-2');
  const completedByBank = await created(banked.production, 'canary-key-3');
  const evidence = { status: 'completed', amount: '12.34', bank_reference: 'FT-1', value_date: '2026-11-20' };
  await company.production.put(`/company/integration/contributions/${completed}`, evidence).expect(200);
  await bank.production.put(`/company/integration/contributions/${completedByBank}`, evidence).expect(200);
  await company.production
    .put(`/company/integration/stories/${storyId}/views`, { user_hash: userHash })
    .expect(204);
  const environment = async (name: string, kind: string): Promise<number> => {
    const { rows } = await admin.query<{ environment_id: number }>(
      'SELECT environment_id FROM environments JOIN companies USING (company_id) WHERE name = $1 AND kind = $2',
      [name, kind],
    );
    return rows[0]!.environment_id;
  };
  ids = {
    environmentId: await environment('Own', 'production'),
    bankEnvironmentId: await environment('Bank', 'production'),
    testEnvironmentId: await environment('Own', 'test'),
    pending,
    completed,
    completedByBank,
  };
  await service.stop();
}, 60_000);
afterAll(() => database.drop());

test('what the service has written breaks no rule', async () => {
  const report = await verify(database);
  expect(broken(report)).toEqual([]);
  expect(report).toMatchObject({ environmentCount: 6, violationCount: 0 });
});

test('while the service creates and completes, nothing is found', async () => {
  const { admin } = database;
  const running = await startService({ database });
  const company = await running.addCompany('Busy');
  const projectId = await addProject(admin);
  const state = { isDone: false };
  const writer = async (number: number): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      const body = { project_id: projectId, amount: '1.00', user_hash: `user-${(number + count) % 7}` };
      const answer = await company.test.put(create, body).expect(201);
      const path = `/company/integration/contributions/${answer.body.transaction_id as string}`;
      await company.test.put(path, { status: 'completed' }).expect(200);
    }
  };
  const writers = Promise.all(Array.from({ length: 6 }, (_, number) => writer(number))).finally(() => {
    state.isDone = true;
  });
  let runs = 0;
  for (; !state.isDone; runs += 1) expect(broken(await verify(database))).toEqual([]);
  await writers;
  await running.stop();
  expect(runs).toBeGreaterThan(2);
}, 60_000);

test('every check has a plant', () => {
  expect([...new Set(plants.map(({ check }) => check))].sort()).toEqual(
    verificationChecks.map(({ name }) => name).sort(),
  );
});

test('its connection cannot write', async () => {
  const readOnly = createReadOnlyDatabase(database.ownerUrl);
  await expect(readOnly.runUnprepared('DELETE FROM supports', [])).rejects.toMatchObject({
    cause: { code: '25006' },
  });
  await readOnly.close();
});

describe('what is planted is found', () => {
  beforeAll(async () => {
    // What is copied may have no connections.
    const elsewhere = await createTestDatabase();
    await elsewhere.admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      nameOf(database),
    ]);
    await elsewhere.drop();
  });

  test.each(plants)('$check: $problem', async ({ check, problem, sql, names }) => {
    const copy = await createTestDatabase(nameOf(database));
    try {
      await copy.admin.query(
        `SET session_replication_role = replica; ${sql(ids)}; RESET session_replication_role`,
      );
      const report = await verify(copy);
      const result = report.checks.find((one) => one.check === check);
      const found = result?.violations.filter((violation) => violation.problem.includes(problem)) ?? [];
      expect(found).not.toEqual([]);
      if (names) expect(found.map((violation) => violation.transaction_id)).toContain(names(ids));
      expect(JSON.stringify(report)).not.toMatch(/canary/i);
    } finally {
      await copy.drop();
    }
  });
});
