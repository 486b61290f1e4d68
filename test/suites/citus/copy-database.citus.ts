import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { createOwnedDatabase } from '../../../src/db/roles/roles';
import { addProject } from '../../support/catalogue';
import { citusNodeUrls, copyCitusDatabase, dropCitusDatabase } from '../../support/citus/databases';
import { createClient } from '../../support/client';
import type { TestDatabase } from '../../support/database';
import { readFeed } from '../../support/feed';
import { createPool } from '../../support/pool';
import { type Finished, root, runProcess } from '../../support/program';
import { roleUrl } from '../../support/role-url';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { templateDatabase } from '../../support/template-database';
import { until } from '../../support/until';
import { verificationOf } from '../../support/verification';

/** How an installation with data moves to a cluster: see docs/operations/scale.md. */
const sourceName = 'test_copy_source';
const targetName = 'test_copy_target';
const nodes = citusNodeUrls() ?? [];
const script = path.join(root, 'ops', 'citus', 'copy-database.sh');
const base = '/company/integration';

let source: TestDatabase;
let target: TestDatabase;
let service: TestService;
let acme: TestCompany;
let projectId: number;
/** Completed and pending. */
const created: string[] = [];

const databaseNamed = (name: string): TestDatabase => ({
  url: roleUrl('service', name),
  ownerUrl: roleUrl('owner', name),
  operatorUrl: roleUrl('operator', name),
  adminUrl: roleUrl('superuser', name),
  admin: createPool(roleUrl('superuser', name), { max: 2 }),
  drop: () => Promise.resolve(),
});

async function onServer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(sessionConfig({ connectionString: roleUrl('superuser', 'postgres') }));
  await client.connect();
  await work(client).finally(() => client.end());
}

const copyFromTo = (from: TestDatabase, to: TestDatabase, ...options: string[]): Promise<Finished> =>
  runProcess('bash', [script, ...options, from.ownerUrl, to.ownerUrl]);
const copy = (...options: string[]): Promise<Finished> => copyFromTo(source, target, ...options);

async function create(company: TestCompany, userHash: string): Promise<string> {
  const contribution = { project_id: projectId, amount: '5.00', user_hash: userHash, name: 'Zoë \\.' };
  const { body } = await company.test.put(`${base}/contributions/create`, contribution).expect(201);
  return body.transaction_id as string;
}

const complete = (id: string) =>
  acme.test.put(`${base}/contributions/${id}`, { status: 'completed' }).expect(200);

const countOfTarget = async (table: string): Promise<number> => {
  const { rows } = await target.admin.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]?.count ?? NaN;
};

beforeAll(async () => {
  await onServer((client) => createOwnedDatabase(client, sourceName));
  await copyCitusDatabase(nodes, targetName, templateDatabase);
  source = databaseNamed(sourceName);
  target = databaseNamed(targetName);
  await migrateUp({ connectionString: source.ownerUrl });
  service = await startService({ database: source, settings: { DELIVERY: 'on' } });
  projectId = await addProject(source.admin);
  acme = await service.addCompany('Acme');
  const other = await service.addCompany('Other');
  for (const user of ['first', 'second', 'third', 'first']) created.push(await create(acme, user));
  for (const id of created.slice(0, 2)) await complete(id);
  await create(other, 'first');
  const inFeed = async (): Promise<number> => (await readFeed(acme.test)).data.length;
  await until('the feed has the events', async () => (await inFeed()) >= 6);
});

afterAll(async () => {
  await source.admin.end();
  await target.admin.end();
  await onServer((client) => client.query(`DROP DATABASE ${sourceName} WITH (FORCE)`));
  await dropCitusDatabase(nodes, targetName);
});

test('while the service is connected to the source, nothing is copied', async () => {
  const { exitCode, output } = await copy();
  expect([exitCode, output]).toEqual([1, expect.stringContaining('stop all its processes')]);
  expect(await countOfTarget('transactions')).toBe(0);
});

describe('after the service has stopped', () => {
  beforeAll(() => service.stop());

  test('a source on a cluster and a target outside of one are rejected', async () => {
    const fromCluster = await copyFromTo(target, target);
    expect([fromCluster.exitCode, fromCluster.output]).toEqual([
      1,
      expect.stringContaining('the source is a Citus cluster'),
    ]);
    const toPlain = await copyFromTo(source, source);
    expect([toPlain.exitCode, toPlain.output]).toEqual([
      1,
      expect.stringContaining('the target is not a Citus cluster'),
    ]);
  });

  test('databases with different functions are rejected', async () => {
    await source.admin.query(
      `INSERT INTO schema_functions (file, sha256, definitions) VALUES ('privileges.sql', sha256('of another version'), '{}')`,
    );
    const { exitCode, output } = await copy();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('functions of the databases differ')]);
    await source.admin.query(
      'DELETE FROM schema_functions WHERE number = (SELECT max(number) FROM schema_functions)',
    );
  });

  test('a copy that fails in the middle leaves the target as before', async () => {
    await target.admin.query('ALTER TABLE supports ADD CONSTRAINT none CHECK (user_id < 0)');
    const { exitCode, output } = await copy();
    expect([exitCode, output]).toEqual([3, expect.stringContaining('violates check constraint')]);
    expect(await countOfTarget('companies')).toBe(1);
    expect(await countOfTarget('transactions')).toBe(0);
    await target.admin.query('ALTER TABLE supports DROP CONSTRAINT none');
  });

  test('every row is copied, and both sides have the same counts and checksums', async () => {
    const { exitCode, output } = await copy();
    expect([exitCode, output]).toEqual([0, expect.stringContaining('Both databases are equal.')]);
    expect(output).toMatch(/^transactions\|5 rows\|checksum \d+$/m);
    expect(output).toMatch(/^users_user_id_seq\|continues after \d+$/m);
  });

  test('a target that has rows is rejected, and keeps them', async () => {
    const { exitCode, output } = await copy();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('the target has rows in: ')]);
    expect(await countOfTarget('transactions')).toBe(5);
  });

  test('a comparison finds a changed row and a changed sequence', async () => {
    const changes = [
      ['UPDATE users SET first_name = NULL', `UPDATE users SET first_name = E'Zoë \\\\.'`, 'users'],
      [
        `SELECT setval('projects_project_id_seq', 999)`,
        `SELECT setval('projects_project_id_seq', ${projectId})`,
        'projects_project_id_seq',
      ],
    ];
    for (const [change = '', undo = '', name] of changes) {
      await target.admin.query(change);
      const { exitCode, output } = await copy('--compare');
      expect([exitCode, output]).toEqual([1, expect.stringMatching(new RegExp(`^> ${name}\\|`, 'm'))]);
      await target.admin.query(undo);
    }
    expect(await copy('--compare')).toMatchObject({ exitCode: 0 });
  });

  test('the cluster serves the same key pairs, contributions and feed, and passes verify', async () => {
    const moved = await startService({ database: target, settings: { DELIVERY: 'on' } });
    try {
      const { apiKey, apiSecret } = acme.test;
      acme = { ...acme, test: createClient(moved.server, { apiKey, apiSecret }) };
      const before = (await readFeed(acme.test)).data.length;
      for (const id of created.slice(2)) await complete(id);
      // An existing user, and a new one.
      for (const user of ['first', 'fourth']) created.push(await create(acme, user));
      const { body } = await acme.test.get(`${base}/contributions?limit=100`).expect(200);
      const listed = (body.data as { transaction_id: string }[]).map(({ transaction_id: id }) => id);
      expect(listed.sort()).toEqual(created.toSorted());
      const grown = async (): Promise<number> => (await readFeed(acme.test)).data.length - before;
      await until('the feed continues', async () => (await grown()) === 4);
      const { violationCount, failures } = await verificationOf(target.ownerUrl);
      expect([violationCount, failures]).toEqual([0, []]);
    } finally {
      await moved.stop();
    }
  });
});
