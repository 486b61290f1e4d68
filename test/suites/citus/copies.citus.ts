import type { CatalogueFile } from '../../../src/operator/catalogue-import/import.service';
import { readProjectsFile } from '../../../src/operator/catalogue-import/catalogue-files';
import { addProject } from '../../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { type AllOperations, operate } from '../../support/operations';
import { lockWaits } from '../../support/lock-waits';
import { until } from '../../support/until';

/**
 * Every node has a copy of a reference table. An UPDATE that waits for another change reads the
 * coordinator's copy before the wait, and the workers' copies after it. So a change that may wait
 * must take a lock first. Otherwise the copies stay different.
 */
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Change = (operations: AllOperations) => Promise<unknown>;

/** Makes a change in an open transaction, starts another one, which must wait, and then commits. */
async function race(first: Change, second: Change): Promise<unknown> {
  let waiting: Promise<unknown> | undefined;
  await operate(database, async (operations) => {
    await first(operations);
    waiting = operate(database, second);
    await until('the other command waits', async () => (await lockWaits(database.admin)).length > 0);
  });
  return waiting;
}

/** A reply of every node: the coordinator and two workers. */
async function onEveryNode(text: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ result: string }>(
    'SELECT result FROM run_command_on_all_nodes($1)',
    [text],
  );
  return rows.map(({ result }) => result);
}
const countOnEveryNode = (from: string): Promise<string[]> => onEveryNode(`SELECT count(*) FROM ${from}`);
const none = ['0', '0', '0'];
const one = ['1', '1', '1'];

/** Runs two of the service's functions like {@link race}. */
async function raceFunctions(first: string, second: string): Promise<void> {
  const client = await database.admin.connect();
  try {
    await client.query('BEGIN');
    await client.query(first);
    const waiting = database.admin.query(second);
    await until('the other call waits', async () => (await lockWaits(database.admin)).length > 0);
    await client.query('COMMIT');
    await waiting;
  } finally {
    client.release();
  }
}

const create = (...names: string[]): Promise<unknown> =>
  operate(database, async ({ companies }) => {
    for (const name of names) await companies.create(name);
  });

test('a link that ends while it is being made ends on every node', async () => {
  await create('Acme', 'Bank');
  await race(
    ({ companies }) => companies.linkBank('test', 'Acme', 'Bank'),
    ({ companies }) => companies.unlinkBank('test', 'Acme', 'Bank'),
  );
  expect(await countOnEveryNode('bank_links WHERE unlinked_at IS NULL')).toEqual(none);
});

test('a company that is renamed while it is being created has the new name on every node', async () => {
  await race(
    ({ companies }) => companies.create('Early'),
    ({ companies }) => companies.rename('Early', 'Late'),
  );
  expect(await countOnEveryNode(`companies WHERE name = 'Late'`)).toEqual(one);
});

test('a company that is suspended while it is being renamed is suspended on every node', async () => {
  await create('Old');
  await race(
    ({ companies }) => companies.rename('Old', 'New'),
    ({ companiesOverview }) => companiesOverview.setSuspended('New', true),
  );
  expect(await countOnEveryNode(`companies WHERE name = 'New' AND suspended_at IS NOT NULL`)).toEqual(one);
  expect(new Set(await onEveryNode(`SELECT suspended_at::text FROM companies WHERE name = 'New'`)).size).toBe(
    1,
  );
});

test('a company that is resumed while it is being suspended is active on every node', async () => {
  await create('Paused');
  await race(
    ({ companiesOverview }) => companiesOverview.setSuspended('Paused', true),
    ({ companiesOverview }) => companiesOverview.setSuspended('Paused', false),
  );
  expect(await countOnEveryNode(`companies WHERE name = 'Paused' AND suspended_at IS NULL`)).toEqual(one);
});

test('two concurrent changes of rate limits leave the later limits on every node', async () => {
  await create('Limited');
  const limit =
    (requestsPerSecond: number): Change =>
    ({ companies }) =>
      companies.setRateLimits('test', 'Limited', { requestsPerSecond });
  await race(limit(5), limit(7));
  expect(await countOnEveryNode('environments WHERE requests_per_second = 7')).toEqual(one);
});

const project = (more: object): CatalogueFile =>
  readProjectsFile(
    JSON.stringify({
      projects: [
        {
          reference: 'raced',
          name: 'Raced',
          image_url: 'https://example.org/a.jpg',
          goal_amount: '1.00',
          ...more,
        },
      ],
    }),
    'json',
  );
const importing =
  (file: CatalogueFile): Change =>
  ({ catalogueImport }) =>
    catalogueImport.run(file, { skipInvalid: false }, () => undefined);

test('a project that is archived while it is being imported is archived on every node', async () => {
  await race(importing(project({})), ({ catalogue }) => catalogue.setProjectStatus(['raced'], 'archived'));
  expect(await countOnEveryNode(`projects WHERE status = 'archived'`)).toEqual(one);
  await race(
    importing(project({ status: 'active' })),
    importing(project({ status: 'archived', name: 'Twice' })),
  );
  expect(await countOnEveryNode(`projects WHERE status = 'archived' AND project_name = 'Twice'`)).toEqual(
    one,
  );
});

async function testEnvironment(name: string): Promise<number> {
  const company = await operate(database, ({ companies }) => companies.create(name));
  return company.environments.test;
}
const setBank = (environmentId: number, bank: string): string =>
  `SELECT set_sandbox_settings(${environmentId}, '${bank}', 0, false)`;

test('choosing and leaving the simulated bank concurrently leaves no link on any node', async () => {
  const id = await testEnvironment('Simulated');
  await raceFunctions(setBank(id, 'simulated'), setBank(id, 'none'));
  expect(await countOnEveryNode(`bank_links WHERE environment_id = ${id} AND unlinked_at IS NULL`)).toEqual(
    none,
  );
});

test('a reset while a link is being made ends the link on every node', async () => {
  const id = await testEnvironment('Reset');
  await raceFunctions(setBank(id, 'simulated'), `SELECT reset_sandbox(${id}, 10)`);
  expect(await countOnEveryNode(`bank_links WHERE environment_id = ${id} AND unlinked_at IS NULL`)).toEqual(
    none,
  );
});

test('a purge of a test environment during a recount leaves its figures on no node', async () => {
  const projectId = await addProject(database.admin);
  const id = await testEnvironment('Purged');
  await database.admin.query(`INSERT INTO users (environment_id, user_hash) VALUES (${id}, 'purged')`);
  await database.admin.query(
    `INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
     SELECT environment_id, user_id, ${projectId}, now(), now() FROM users WHERE environment_id = ${id}`,
  );
  await database.admin.query(`SELECT reset_sandbox(${id}, 10)`);
  await database.admin.query(
    `UPDATE environments SET retired_at = now() - interval '8 days' WHERE environment_id = ${id}`,
  );
  await race(
    ({ projectFigures }) => projectFigures.recount(),
    ({ retiredEnvironments }) => retiredEnvironments.purge(1),
  );
  expect(await countOnEveryNode(`project_figures WHERE figures_scope = ${id}`)).toEqual(none);
});
