import { knex } from 'knex';
import { Pool } from 'pg';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres';
import { createKnexConfig } from '../../src/db/knex-config';
import { addProject } from '../support/catalogue';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * A server of its own whose commits wait for a standby that does not exist. When such a wait is cancelled the commit stands
 * on this server only: a failover would lose it, so no answer may say that it is recorded, now or on a retry.
 */
const create = '/company/integration/contributions/create';

let folder: ReturnType<typeof temporaryFolder>;
let postgres: EmbeddedPostgres;
let admin: Pool;
let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  folder = temporaryFolder();
  postgres = await startEmbeddedPostgres({ dataDirectory: folder.path, settings: { fsync: 'off' } });
  const [url, ownerUrl, adminUrl] = (['service', 'owner', 'superuser'] as const).map((role) =>
    postgres.connectionString(role),
  ) as [string, string, string];
  const migrations = knex(createKnexConfig(ownerUrl));
  await migrations.migrate.latest();
  await migrations.destroy();
  admin = new Pool({ connectionString: adminUrl, max: 3 });
  service = await startService({
    database: { url, ownerUrl, adminUrl, admin, drop: () => Promise.resolve() },
    settings: { DATABASE_STATEMENT_TIMEOUT_MS: '300', DATABASE_ANSWER_TIMEOUT_MS: '10000' },
  });
  company = await service.addCompany();
  projectId = await addProject(admin);
}, 60_000);
afterEach(() => setStandby(''));
afterAll(async () => {
  await service.stop();
  await admin.end();
  await postgres.stop();
  folder.remove();
});

/** From now on every commit waits for this standby. */
async function setStandby(name: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await admin.query('SELECT pg_reload_conf()');
  await until('the setting is in force', async () => {
    const { rows } = await admin.query<{ value: string }>(
      `SELECT current_setting('synchronous_standby_names') AS value`,
    );
    return rows[0]?.value === name;
  });
}

/** Cancels every commit that waits for the standby; says how many there were. */
async function cancelWaits(): Promise<number> {
  const { rowCount } = await admin.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'`,
  );
  return rowCount ?? 0;
}

/** The answer to a request whose commit waits, and is cancelled, when it waits at all. */
async function whileStandbyIsAway<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  let isAnswered = false;
  const answer = send().finally(() => {
    isAnswered = true;
  });
  await until('the commit waits, or is answered', async () => isAnswered || (await cancelWaits()) > 0);
  return answer;
}

const contribution = (userHash: string) => ({ project_id: projectId, amount: '5.00', user_hash: userHash });

test('a create whose commit no standby has: 503, and 503 again for its retry, until the standby is back', async () => {
  const send = () =>
    company.test
      .put(create, contribution('user-1'))
      .set('Idempotency-Key', 'away-1')
      .then((answer) => answer);
  await setStandby('away');

  const first = await whileStandbyIsAway(send);
  expect([first.status, first.body.retryable]).toEqual([503, true]);
  const { rows } = await admin.query('SELECT FROM transactions WHERE idempotency_key = $1', ['away-1']);
  expect(rows).toHaveLength(1);
  const retry = await whileStandbyIsAway(send);
  expect([retry.status, retry.body.retryable]).toEqual([503, true]);

  await setStandby('');
  const last = await send();
  expect([last.status, last.headers['idempotent-replayed']]).toEqual([201, 'true']);
});

test('a create without a key whose commit no standby has: 500 outcome_unknown', async () => {
  await setStandby('away');
  const answer = await whileStandbyIsAway(() =>
    company.test.put(create, contribution('user-2')).then((first) => first),
  );
  expect([answer.status, answer.body.code]).toEqual([500, 'outcome_unknown']);
});

test('a completion whose commit no standby has: 503, and 503 again for its repeat, until the standby is back', async () => {
  const created = await company.test.put(create, contribution('user-3')).expect(201);
  const path = `/company/integration/contributions/${created.body.transaction_id as string}`;
  const send = () => company.test.put(path, { status: 'completed' }).then((answer) => answer);
  await setStandby('away');

  for (const attempt of ['first', 'repeat']) {
    const answer = await whileStandbyIsAway(send);
    expect([attempt, answer.status, answer.body.retryable]).toEqual([attempt, 503, true]);
  }

  await setStandby('');
  const last = await send();
  expect([last.status, last.headers['idempotent-replayed']]).toEqual([200, 'true']);
});
