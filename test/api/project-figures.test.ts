import { Client as PostgresClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';

import { sessionConfig } from '../../src/db/session-settings';
import { createServiceDatabase } from '../../src/startup/service-database';
import { loggable } from '../../src/http/errors/loggable-error';
import { maintainSums } from '../../src/shared/maintain-sums';
import { createProjectFiguresStore } from '../../src/core/project-figures/project-figures.store';
import { completeContribution } from '../../src/core/contributions/complete-contribution.query';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { calculateFigures, makeFiguresDue } from '../support/project-figures';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The figures of a project: raised_amount and supporters_count. */
const contributions = '/company/integration/contributions';

let service: TestService;
let company: TestCompany;
let other: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  other = await service.addCompany();
});
beforeEach(async () => {
  projectId = await addProject(service.database.admin);
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  await makeFiguresDue(service.database);
});
afterAll(() => service.stop());

async function create(client: Client, amount: string, user: string): Promise<string> {
  const body = { project_id: projectId, amount, user_hash: user };
  const response = await client.put(`${contributions}/create`, body).expect(201);
  return response.body.transaction_id as string;
}

const complete = (client: Client, transactionId: string) =>
  client.put(`${contributions}/${transactionId}`, { status: 'completed' });

async function contribute(client: Client, amount: string, user: string): Promise<void> {
  await complete(client, await create(client, amount, user)).expect(200);
}

/**
 * The figures that a caller reads, [raised_amount, supporters_count], the same in the list and the
 * record.
 */
async function figures(client: Client): Promise<[string, number]> {
  const one = await client.get(`/company/integration/get/project/${projectId}`).expect(200);
  const list = await client.get('/company/integration/get/projects').expect(200);
  const listed = (list.body.data as { project_id: number }[]).find((each) => each.project_id === projectId);
  expect(listed).toEqual(one.body);
  return [one.body.raised_amount as string, one.body.supporters_count as number];
}

test('without completions nothing is raised and there are no supporters', async () => {
  await create(company.production, '10.00', 'ann');
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['0.00', 0]);
});

test('every completed contribution counts, and every supporter counts once', async () => {
  await contribute(company.production, '10.00', 'ann');
  await contribute(company.production, '2.50', 'ann');
  await contribute(company.production, '0.01', 'ben');
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['12.51', 2]);

  await makeFiguresDue(service.database);
  await contribute(company.production, '7.49', 'ann');
  await contribute(company.production, '1.00', 'cleo');
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['21.00', 3]);
});

test('a repeated or rejected completion does not count', async () => {
  const transactionId = await create(company.production, '10.00', 'ann');
  const path = `${contributions}/${transactionId}`;
  await company.production.put(path, { status: 'completed', amount: '10.01' }).expect(409);
  await complete(company.production, transactionId).expect(200);
  await complete(company.production, transactionId).expect(200);
  await company.production.put(path, { status: 'completed', bank_reference: 'another' }).expect(200);
  await complete(other.production, transactionId).expect(404);
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['10.00', 1]);
});

test('in production contributions of all companies count, in test only those of the same company', async () => {
  await contribute(company.production, '10.00', 'ann');
  await contribute(other.production, '5.00', 'ann');
  await contribute(company.test, '300.00', 'ann');
  await contribute(other.test, '2000.00', 'ann');
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['15.00', 2]);
  expect(await figures(other.production)).toEqual(['15.00', 2]);
  expect(await figures(company.test)).toEqual(['300.00', 1]);
  expect(await figures(other.test)).toEqual(['2000.00', 1]);
});

test('the figures, and therefore the ETag, change at most once a minute', async () => {
  const address = `/company/integration/get/project/${projectId}`;
  const etag = async () => (await company.production.get(address).expect(200)).get('ETag');
  await contribute(company.production, '10.00', 'ann');
  await calculateFigures(service.database);
  const before = await etag();
  await contribute(company.production, '5.00', 'ben');
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['10.00', 1]);
  expect(await etag()).toBe(before);

  const { admin } = service.database;
  await admin.query(`UPDATE project_figures_turn SET taken_at = now() - interval '59 seconds'`);
  await calculateFigures(service.database);
  expect(await etag()).toBe(before);
  await admin.query(`UPDATE project_figures_turn SET taken_at = now() - interval '60 seconds'`);
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['15.00', 2]);
  expect(await etag()).not.toBe(before);
});

test('with several concurrent runs each change is counted once', async () => {
  for (let round = 1; round <= 5; round += 1) {
    await contribute(company.production, '1.00', `user-${round}`);
    await makeFiguresDue(service.database);
    await calculateFigures(service.database, 6);
    expect(await figures(company.production)).toEqual([`${round}.00`, round]);
  }
});

test('changes of several batches are counted in one run', async () => {
  const { admin } = service.database;
  await contribute(company.production, '1.00', 'ann');
  await admin.query(
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
     SELECT environment_id, project_id, 1, 0 FROM project_figure_changes, generate_series(1, 25000)`,
  );
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['251.00', 1]);
});

test('an uncommitted completion delays no other, and is counted after its commit', async () => {
  const [first, second] = [
    await create(company.production, '10.00', 'ann'),
    await create(company.production, '5.00', 'ben'),
  ];
  const { apiKey } = company.production;
  const { rows } = await service.database.admin.query<{ environment_id: number }>(
    'SELECT environment_id FROM key_pairs WHERE api_key = $1',
    [apiKey],
  );
  const connection = new PostgresClient(sessionConfig({ connectionString: service.database.url }));
  await connection.connect();
  try {
    await connection.query('BEGIN');
    const values = [rows[0]!.environment_id, apiKey, first.slice(0, 4), first, null, null, null, uuidv7()];
    expect((await connection.query(completeContribution.text, values)).rows).toMatchObject([
      { is_completed_now: true },
    ]);
    await complete(company.production, second).expect(200);
    await calculateFigures(service.database);
    expect(await figures(company.production)).toEqual(['5.00', 1]);
    await connection.query('COMMIT');
  } finally {
    await connection.end();
  }
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['15.00', 2]);
});

test('the service recalculates the figures periodically, continues after a failure, and stops at shutdown', async () => {
  await contribute(company.production, '10.00', 'ann');
  const database = createServiceDatabase(service.config, service.database.url, service.logger);
  const store = createProjectFiguresStore(database);
  let calls = 0;
  const addUp = async (): Promise<void> => {
    calls += 1;
    await store.addUp();
  };
  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const supporters = async (): Promise<number> => {
    const response = await company.production
      .get(`/company/integration/get/project/${projectId}`)
      .expect(200);
    return response.body.supporters_count as number;
  };
  const { admin } = service.database;
  const privilege = 'UPDATE (taken_at) ON project_figures_turn';
  await admin.query(`REVOKE ${privilege} FROM contribution_service`);
  const failed = (error: unknown): void => {
    service.logger.warn({ error: loggable(error) }, 'project figures not updated');
  };
  const kept = maintainSums({ addUp }, failed, 20);
  try {
    await until(() => calls > 2);
    expect(await supporters()).toBe(0);
    const failures = service.logLines
      .map((line) => JSON.parse(line) as { level: number; msg: string; error?: { code?: string } })
      .filter(({ msg }) => msg === 'project figures not updated');
    expect(failures[0]).toMatchObject({ level: 40, error: { code: '42501' } });
    await admin.query(`GRANT ${privilege} TO contribution_service`);
    await until(async () => (await supporters()) === 1);
  } finally {
    await kept.stop();
    await database.close();
  }
  const last = calls;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(calls).toBe(last);
});

test('are never negative, even if a return is applied a run before its completion', async () => {
  const anotherId = await addProject(service.database.admin);
  const url = service.database.adminUrl;
  const late = new PostgresClient(sessionConfig({ connectionString: url }));
  await late.connect();
  const id = await create(company.production, '10.00', 'ann');
  const environmentId = await late
    .query<{ id: number }>('SELECT environment_id AS id FROM transactions WHERE transaction_id = $1', [id])
    .then(({ rows }) => rows[0]!.id);
  const add = (cents: number, supporters: number, times = 1, project = projectId) =>
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
     SELECT ${environmentId}, ${project}, ${cents}, ${supporters} FROM generate_series(1, ${times})`;
  // The change of the completion comes first in key order, but commits after the first batch.
  await late.query(`BEGIN; ${add(1000, 1)}`);
  await service.database.admin.query(add(0, 0, 2_000, anotherId));
  const database = createServiceDatabase(service.config, service.database.url, service.logger);
  let batches = 0;
  await createProjectFiguresStore({
    run: async (...query) => {
      const rows = await database.run(...query);
      if ((batches += 1) === 1) await late.query(`COMMIT; ${add(-1000, -1)}`);
      return rows as never[];
    },
  }).addUp();
  expect(await figures(company.production)).toEqual(['0.00', 0]);
  await makeFiguresDue(service.database);
  await calculateFigures(service.database);
  expect(await figures(company.production)).toEqual(['0.00', 0]);
  await database.close();
  await late.end();
});
