import { timeoutsOf } from '../../../src/read-settings';
import { readSessionSettings } from '../../../src/db/roles/role-settings';
import { serviceSettings } from '../../../src/db/session-settings';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { addProject } from '../../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { throughPooler } from '../../support/pooler';
import {
  build,
  freePort,
  killLeftoverProcesses,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../../support/program';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { until } from '../../support/until';

/** The service's behavior behind a transaction-mode pooler. */
let database: TestDatabase;
let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  service = await startService({ database, settings: { DATABASE_LOCK_TIMEOUT_MS: '700' } });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
});
afterAll(async () => {
  await killLeftoverProcesses();
  await service.stop();
  await database.drop();
});

test('connections are shared: the service has more than PostgreSQL', async () => {
  await Promise.all(Array.from({ length: 40 }, () => company.test.get('/company/integration/get/projects')));
  const { rows } = await database.admin.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND usename = 'contribution_service'`,
  );
  expect(rows[0]?.count).toBeGreaterThan(0);
  expect(rows[0]?.count).toBeLessThanOrEqual(4);
});

test('the session settings are those of the role, whatever the defaults of the server', async () => {
  expect(await readSessionSettings(service.container.database)).toEqual({
    ...serviceSettings(timeoutsOf(service.config)),
    lock_timeout: '700',
    session_replication_role: 'origin',
  });
  const holder = await database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    const response = await company.test.put('/company/integration/contributions/create', {
      project_id: projectId,
      amount: '1.00',
      user_hash: 'waits',
    });
    expect([response.status, response.body.code]).toEqual([503, 'database_timeout']);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
});

test('a revoked key pair is rejected within little more than a second, although no notification arrives', async () => {
  expect(service.logLines.join()).toContain('revocations cannot be received through a pooler');
  const pair = await service.addPair(company, 'test', ['projects:read']);
  const status = async (): Promise<number> => (await pair.get('/company/integration/get/projects')).status;
  expect(await status()).toBe(200);
  const revokedAt = performance.now();
  await service.keyPairs.revoke(pair.apiKey!);
  const seen: { afterMs: number; status: number }[] = [];
  await until('it is rejected', async () => {
    const afterMs = performance.now() - revokedAt;
    seen.push({ afterMs, status: await status() });
    return seen.at(-1)?.status === 401;
  });
  // After more than a second, no request was accepted.
  expect(seen.filter((look) => look.status === 200 && look.afterMs > 1_000)).toEqual([]);
});

test('migrating through the pooler is rejected, because its lock could move to another client', async () => {
  const connectionString = throughPooler(database.ownerUrl)!;
  await expect(migrateUp({ connectionString, attempts: 1 })).rejects.toThrow('not through a pooler');
});

describe('the built program', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let settings: Record<string, string>;
  beforeAll(() => {
    folder = temporaryFolder();
    settings = {
      DATABASE_URL: throughPooler(database.url)!,
      DATABASE_OWNER_URL: database.ownerUrl,
      ALLOW_PLAIN_HTTP: 'on',
      DATA_DIRECTORY: folder.path,
      METRICS_PORT: 'off',
      PORT: '0',
      // The test may wait longer on a busy machine.
      DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
    };
  });
  afterAll(() => {
    folder.remove();
  });
  const start = (more: Record<string, string>) =>
    runProcess(process.execPath, ['dist/src/server.js'], { ...settings, ...more });

  test('names the missing setting when the pooler rejects the timeouts', async () => {
    const { exitCode, output } = await start({});
    expect([exitCode, output]).toEqual([1, expect.stringContaining('set DATABASE_TIMEOUTS to role')]);
  });

  test('rejects timeouts that differ from the configured ones, until npm run migrate has set them', async () => {
    const behind = {
      DATABASE_TIMEOUTS: 'role',
      DATABASE_PREPARED_STATEMENTS: 'off',
      DATABASE_STATEMENT_TIMEOUT_MS: '3000',
    };
    const refused = await start(behind);
    expect([refused.exitCode, refused.output]).toEqual([
      1,
      expect.stringContaining('statement_timeout is 30000 ms instead of 3000 ms'),
    ]);
    const migrated = await runProcess(process.execPath, ['dist/src/operator/cli/migrate.js', 'up'], {
      ...settings,
      ...behind,
    });
    expect([migrated.exitCode, migrated.output]).toEqual([
      0,
      'The schema is up to date.\nThe session settings of contribution_service and contribution_owner are set.\n',
    ]);
    // PgBouncer's connections were opened earlier; RECONNECT would replace them too.
    await database.admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = 'contribution_service'`,
    );
    const running = await RunningService.start({ ...settings, ...behind, PORT: String(await freePort()) });
    expect(await running.signal('SIGTERM')).toBe(0);
  });
});
