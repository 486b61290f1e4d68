import { createContribution } from '../../src/core/contributions/create-contribution.query';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { moveToOwnDisk, whyNoDisk } from '../support/full-disk';
import { operatorSettings, runOps } from '../support/operator-commands';
import { startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const create = '/company/integration/contributions/create';

let database: TestDatabase;
let service: TestService;
let company: TestCompany;
let projectId: number;
let count = 0;

async function start(databaseUrl = database.url): Promise<void> {
  service = await startService({ database, databaseUrl });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
  // A successful check counts for some time, so only a failed write makes the next one look again.
  await readiness().expect(200);
}
const readiness = () => service.anonymous.raw('get', '/health/ready');
const contribute = (key = `full-${(count += 1)}`) =>
  company.test
    .put(create, { project_id: projectId, amount: '5.00', user_hash: key })
    .set('Idempotency-Key', key)
    .then((response) => response);

beforeEach(async () => {
  database = await createTestDatabase();
});

/** What callers, operators and the load balancer see while nothing can be stored. */
async function expectToldOfFullDisk(key: string): Promise<void> {
  const response = await contribute(key);
  expect([response.status, response.body.code, response.body.retryable]).toEqual([
    503,
    'database_full',
    true,
  ]);
  expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expect(response.body.detail).toMatch(/lacks disk space or memory.*No changes were made/);
  expect(response.body.detail).not.toMatch(/reach/);
  const notReady = await readiness();
  expect([notReady.status, notReady.body.code]).toEqual([503, 'database_full']);
  expect(notReady.body.detail).toContain('has no room');
  // On a busy machine, a read may time out.
  await until('reads are served', async () => {
    const { status, body } = await company.test.get('/company/integration/get/projects');
    expect([200, 'database_timeout', 'overloaded']).toContain(status === 200 ? 200 : body.code);
    return status === 200;
  });
  const failed = service.logLines.map((line) => JSON.parse(line) as FailedLine);
  expect(
    failed.find(({ msg, error_code: code }) => msg === 'failed' && code === 'database_full'),
  ).toMatchObject({
    error: { cause: { reason: 'no_room', cause: { code: '53100' } } },
  });
  const failures = await service.container.metrics.registry.getSingleMetricAsString(
    'contribution_database_statement_failures_total',
  );
  expect(failures).toMatch(/statement="create_transaction",reason="no_room"\} [1-9]/);
}

interface FailedLine {
  msg: string;
  error_code?: string;
}

const onRealDisk = whyNoDisk === undefined ? test : test.skip;

onRealDisk(`a full disk is reported as such, until it has room again (${whyNoDisk ?? 'real'})`, async () => {
  const disk = await moveToOwnDisk(database);
  try {
    await start();
    await disk.fill();
    await until('a create finds no room', async () => (await contribute()).status === 503);
    await until('each create finds no room', async () => (await contribute('next')).status === 503);
    await expectToldOfFullDisk('next');
    const doctor = await runOps(['doctor'], operatorSettings(database));
    expect(doctor.output).toMatch(/service: room.*the database has no room \(.*No space left on device/);

    await disk.free();
    await until('it is ready', async () => (await readiness()).status === 200);
    expect((await contribute('next')).status).toBe(201);
  } finally {
    await disk.free();
    await service.stop();
    await database.drop();
    await disk.remove();
  }
});

describe('on every machine', () => {
  afterEach(async () => {
    await service.stop();
    await database.drop();
  });

  test('an error disk_full is reported as a full disk', async () => {
    const proxy = await startPostgresProxy(database.url);
    try {
      await start(proxy.url);
      proxy.failWith('53100', new RegExp(`^${createContribution.name}$|generate_series`));
      await expectToldOfFullDisk('next');
      proxy.restore();
      await until('it is ready', async () => (await readiness()).status === 200);
      expect((await contribute('next')).status).toBe(201);
    } finally {
      await proxy.stop();
    }
  });

  // Hosting companies do this when the disk is almost full.
  test('a database that was made read-only is reported as such, until it accepts writes again', async () => {
    await start();
    const { pathname } = new URL(database.url);
    const setReadOnly = async (value: 'on' | 'off') => {
      await database.admin.query(
        `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value}`,
      );
      await database.admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'contribution-service' AND datname = current_database()`,
      );
    };
    await setReadOnly('on');
    const isToldOf = async () => (await contribute('next')).body.detail as string;
    await until('a create is told', async () => /accepts no writes/.test(await isToldOf()));
    const notReady = await readiness();
    expect([notReady.status, notReady.body.code]).toEqual([503, 'database_unavailable']);
    expect(notReady.body.detail).toContain('read-only');
    const doctor = await runOps(['doctor'], operatorSettings(database));
    expect(doctor.output).toMatch(/service: primary.*the sessions are read-only/);

    await setReadOnly('off');
    await until('it is ready', async () => (await readiness()).status === 200);
    expect((await contribute('next')).status).toBe(201);
  });

  test('a command whose change finds no room says so', async () => {
    await start();
    await database.admin.query(`
      CREATE FUNCTION find_no_room() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON companies EXECUTE FUNCTION find_no_room()`);
    const { exitCode, output } = await runOps(['companies', 'create', 'Full'], operatorSettings(database));
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining('The database has no room (No space left on device). Nothing changed.'),
    ]);
  });
});
