import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { isFullRun } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verifyDatabase } from '../suites/faults/verify';

/** The links that the settings of the sandbox start and end. */
const base = '/company/integration';

let service: TestService;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  if (isFullRun) expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await service.stop();
});

async function create(client: Client): Promise<string> {
  const body = { project_id: projectId, amount: '25.00', user_hash: 'somebody' };
  const response = await client.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

async function set(company: TestCompany, bank: 'simulated' | 'none'): Promise<void> {
  const body = { bank, settle_after_seconds: 3_600 };
  await company.test.put(`${base}/sandbox/settings`, body).expect(200);
}

async function toggle(company: TestCompany, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await set(company, 'simulated');
    await set(company, 'none');
  }
}

async function linksOf({ name }: TestCompany): Promise<{ count: number; active: number }> {
  const { rows } = await service.database.admin.query<{ count: number; active: number }>(
    `SELECT count(*)::integer AS count, count(*) FILTER (WHERE l.unlinked_at IS NULL)::integer AS active
       FROM bank_links l
       JOIN environments e ON e.environment_id = l.environment_id
       JOIN companies c ON c.company_id = e.company_id
      WHERE c.name = $1`,
    [name],
  );
  return rows[0]!;
}

const complete = (company: TestCompany, id: string) =>
  company.test.put(`${base}/contributions/${id}`, { status: 'completed' });

test('switching the simulated bank on and off keeps few links', async () => {
  const company = await service.addCompany();
  await toggle(company, 6);
  expect(await linksOf(company)).toEqual({ count: 2, active: 0 });
  await set(company, 'simulated');
  await set(company, 'simulated');
  expect(await linksOf(company)).toEqual({ count: 2, active: 1 });
});

test("switching it on and off changes nobody's right to complete", async () => {
  const company = await service.addCompany();
  const earlier = await create(company.test);
  await set(company, 'simulated');
  const during = await create(company.test);
  await set(company, 'none');
  const between = await create(company.test);
  await toggle(company, 6);
  await complete(company, between).expect(200);
  await toggle(company, 6);
  // One link has a contribution. Of the others, the first and the last remain before the
  // completion, and again after it.
  expect(await linksOf(company)).toEqual({ count: 5, active: 0 });

  await complete(company, earlier).expect(200);
  const reserved = await complete(company, during).expect(403);
  expect(reserved.body).toMatchObject({ code: 'completion_reserved_for_bank' });
  await company.test.post(`${base}/sandbox/contributions/${during}/settle`, {}).expect(200);
});
