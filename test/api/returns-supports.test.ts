import type { Response } from 'supertest';

import { addProject } from '../support/catalogue';
import { longTest } from '../support/full-run';
import { calculateFigures, makeFiguresDue } from '../support/project-figures';
import { operate } from '../support/operations';
import { sendReturn, sendUndo } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** What returns do to a user's support and to the figures of a project. */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService({
    settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '20000', CATALOGUE_MAX_AGE_MS: '0' },
  });
});
beforeEach(async () => {
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  // A violation stays, so one look after all tests finds it.
  const report = await verificationOf(service.database.operatorUrl);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  await service.stop();
});

async function create(user: string, amount = '25.50'): Promise<string> {
  const { body } = await company.test
    .put(`${base}/contributions/create`, { project_id: projectId, amount, user_hash: user })
    .expect(201);
  return (body as { transaction_id: string }).transaction_id;
}

const complete = (id: string) => company.test.put(`${base}/contributions/${id}`, { status: 'completed' });

async function completed(user: string): Promise<string> {
  const id = await create(user);
  await complete(id).expect(200);
  return id;
}

const returnIdOf = (response: Response): string => (response.body as { return_id: string }).return_id;

/** Whether the project is supported: in the project, and in the main component. */
async function isSupported(user: string): Promise<boolean> {
  const query = `user_hash=${encodeURIComponent(user)}`;
  const project = await company.test.get(`${base}/get/project/${projectId}?${query}`).expect(200);
  const main = await company.test.get(`${base}/projects-stories?${query}`).expect(200);
  const rows = (main.body as { data: { project_id: number; is_supported: boolean }[] }).data;
  const shown = rows.some((row) => row.project_id === projectId && row.is_supported);
  expect((project.body as { is_supported: boolean }).is_supported).toBe(shown);
  return shown;
}

async function figures(): Promise<[unknown, unknown]> {
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  const { body } = await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  const project = body as Record<string, unknown>;
  return [project['raised_amount'], project['supporters_count']];
}

test('a full return ends the support, and an undo restores it', async () => {
  const id = await completed('ann');
  expect([await isSupported('ann'), await figures()]).toEqual([true, ['25.50', 1]]);
  const returned = await sendReturn(company.test, id).expect(201);
  expect([await isSupported('ann'), await figures()]).toEqual([false, ['0.00', 0]]);
  await sendUndo(company.test, id, returnIdOf(returned), { amount: '0.01' }).expect(201);
  expect([await isSupported('ann'), await figures()]).toEqual([true, ['0.01', 1]]);
});

test('a partial return keeps the support', async () => {
  const id = await completed('ann');
  await sendReturn(company.test, id, { amount: '25.49' }).expect(201);
  expect([await isSupported('ann'), await figures()]).toEqual([true, ['0.01', 1]]);
});

test('the support ends with the last contribution of the user to the project, and of no other user', async () => {
  const [first, second] = [await completed('ann'), await completed('ann')];
  await completed('ben');
  await create('ann');
  await sendReturn(company.test, first).expect(201);
  expect([await isSupported('ann'), await figures()]).toEqual([true, ['51.00', 2]]);
  await sendReturn(company.test, second).expect(201);
  expect([await isSupported('ann'), await isSupported('ben')]).toEqual([false, true]);
  expect(await figures()).toEqual(['25.50', 1]);
});

test('another completion resumes the support', async () => {
  const id = await completed('ann');
  const pending = await create('ann');
  await sendReturn(company.test, id).expect(201);
  await complete(pending).expect(200);
  expect([await isSupported('ann'), await figures()]).toEqual([true, ['25.50', 1]]);
  await complete(pending).expect(200);
  expect(await figures()).toEqual(['25.50', 1]);
});

longTest('a recount of the figures changes nothing', async () => {
  const [one, two] = [await completed('ann'), await completed('ben')];
  await sendReturn(company.test, one).expect(201);
  await sendReturn(company.test, two, { amount: '5.50' }).expect(201);
  const before = await figures();
  expect(before).toEqual(['20.00', 1]);
  expect(await operate(service.database, ({ projectFigures }) => projectFigures.recount())).toBe(0);
  expect(await figures()).toEqual(before);
});

test('a return of a forgotten user changes the raised amount only, and no support comes back', async () => {
  const [kept, ended] = [await completed('ann'), await completed('ben')];
  const returned = await sendReturn(company.test, ended).expect(201);
  for (const userHash of ['ann', 'ben']) {
    await operate(service.database, ({ users }) =>
      users.forget({ company: company.name, kind: 'test' }, { userHash }),
    );
  }
  expect(await figures()).toEqual(['25.50', 0]);
  await sendReturn(company.test, kept, { amount: '5.50' }).expect(201);
  await sendUndo(company.test, ended, returnIdOf(returned)).expect(201);
  expect(await figures()).toEqual(['45.50', 0]);
});

test('concurrent returns of one contribution never exceed its amount', async () => {
  const id = await completed('ann');
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => sendReturn(company.test, id, { amount: '10.00' })),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, 201, ...Array.from({ length: 18 }, () => 409)]);
  expect(await figures()).toEqual(['5.50', 1]);
});

test('one of several concurrent equal returns is recorded, and the others are replays of it', async () => {
  const id = await completed('ann');
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => sendReturn(company.test, id, { bank_reference: 'RT-A' }).expect(201)),
  );
  expect(new Set(responses.map(returnIdOf)).size).toBe(1);
  expect(responses.filter((response) => response.get('Idempotent-Replayed') !== 'true')).toHaveLength(1);
  expect(await figures()).toEqual(['0.00', 0]);
});

test('concurrent returns, undos and completions of one user agree with each other', async () => {
  const returned = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const id = await completed('ann');
      return { id, returnId: returnIdOf(await sendReturn(company.test, id).expect(201)) };
    }),
  );
  const kept = await Promise.all(Array.from({ length: 6 }, () => completed('ann')));
  const pending = await Promise.all(Array.from({ length: 6 }, () => create('ann')));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([
      ...returned
        .slice(round * 2, round * 2 + 2)
        .map(({ id, returnId }) => sendUndo(company.test, id, returnId).expect(201)),
      ...kept.slice(round * 2, round * 2 + 2).map((id) => sendReturn(company.test, id).expect(201)),
      ...pending.slice(round * 2, round * 2 + 2).map((id) => complete(id).expect(200)),
    ]);
    expect(await isSupported('ann')).toBe(true);
  }
  // The returned ones of the start, and the pending ones: each 6 times 25.50.
  expect(await figures()).toEqual(['306.00', 1]);
});

longTest('the last contributions of a user, returned concurrently, end the support once', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => completed('ann')));
  await Promise.all(ids.map((id) => sendReturn(company.test, id).expect(201)));
  expect([await isSupported('ann'), await figures()]).toEqual([false, ['0.00', 0]]);
});
