import { figureChecks } from '../../../src/operator/verification/figures.checks';
import { addProject } from '../../support/catalogue';
import { startService, type TestCompany, type TestService } from '../../support/service';

/**
 * The servers of a cluster share no snapshot. A completion that commits while `verify` reads must
 * look the same in every row that the check compares.
 */
let service: TestService;
let company: TestCompany;
let projectId: number;

const clients = 4;
const reads = 40;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
  // No change is added up during the test.
  await service.database.admin.query(`UPDATE project_figures_turn SET taken_at = 'infinity'`);
});
afterAll(() => service.stop());

async function contribute(userHash: string): Promise<void> {
  const path = '/company/integration/contributions';
  const body = { project_id: projectId, amount: '5.00', user_hash: userHash };
  const created = await company.production.put(`${path}/create`, body).expect(201);
  const id = created.body.transaction_id as string;
  await company.production.put(`${path}/${id}`, { status: 'completed' }).expect(200);
}

test('the check of project figures finds nothing while contributions are completed', async () => {
  const [{ text }] = figureChecks as [(typeof figureChecks)[number]];
  let [isDone, count] = [false, 0];
  const busy = Array.from({ length: clients }, async () => {
    while (!isDone) await contribute(`user-${(count += 1)}`);
  });
  const problems: string[] = [];
  try {
    for (let read = 0; read < reads; read += 1) {
      const { rows } = await service.database.admin.query<{ problem: string }>(text);
      problems.push(...rows.map(({ problem }) => problem).filter((problem) => problem !== ''));
    }
  } finally {
    isDone = true;
    await Promise.all(busy);
  }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(clients);
});
