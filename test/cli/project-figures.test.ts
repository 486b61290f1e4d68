import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { calculateFigures, makeFiguresDue } from '../support/project-figures';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';
import { longTest, takesAllRows } from '../support/full-run';

/** Recounting the figures of projects. */
let service: TestService;
let company: TestCompany;
let projectId: number;
let userCount = 0;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});
beforeEach(async () => {
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

async function contribute(): Promise<void> {
  const path = '/company/integration/contributions';
  const body = { project_id: projectId, amount: '5.00', user_hash: `user-${(userCount += 1)}` };
  const created = await company.production.put(`${path}/create`, body).expect(201);
  const id = created.body.transaction_id as string;
  await company.production.put(`${path}/${id}`, { status: 'completed' }).expect(200);
}

async function figures(): Promise<[string, number]> {
  const response = await company.production.get(`/company/integration/get/project/${projectId}`).expect(200);
  return [response.body.raised_amount as string, response.body.supporters_count as number];
}

const recount = () => operate(service.database, ({ projectFigures }) => projectFigures.recount());

async function violations(): Promise<number> {
  return (await verificationOf(service.database.ownerUrl)).violationCount;
}

test('correct figures do not change, and pending changes are counted', async () => {
  await contribute();
  await recount();
  expect(await figures()).toEqual(['5.00', 1]);
  expect(await recount()).toBe(0);
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  expect(await figures()).toEqual(['5.00', 1]);
  expect(await violations()).toBe(0);
});

test.each([
  ['too high', 'UPDATE project_figures SET raised_cents = raised_cents + 1 WHERE project_id = $1'],
  ['gone', 'DELETE FROM project_figures WHERE project_id = $1'],
  [
    'of a scope in which nothing was given',
    'INSERT INTO project_figures SELECT environment_id, $1, 100, 1 FROM environments LIMIT 1',
  ],
])('figures that are %s are corrected', async (_what, sql) => {
  await contribute();
  await recount();
  await service.database.admin.query(sql, [projectId]);
  expect(await violations()).toBe(1);
  expect(await recount()).toBe(1);
  expect(await violations()).toBe(0);
});

longTest(
  'concurrent completions and updates are counted exactly once',
  async () => {
    const state = { isDone: false };
    const busy = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!state.isDone) await contribute();
      }),
    );
    try {
      for (let round = 0; round < (takesAllRows ? 10 : 3); round += 1) {
        await makeFiguresDue(service.database);
        await Promise.all([recount(), calculateFigures(service.database, 3)]);
        expect(await violations()).toBe(0);
      }
    } finally {
      state.isDone = true;
      await busy;
    }
    await recount();
    const before = await figures();
    await makeFiguresDue(service.database);
    await calculateFigures(service.database);
    expect(await figures()).toEqual(before);
  },
  300_000,
);
