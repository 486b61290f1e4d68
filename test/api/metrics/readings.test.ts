import type { MetricsServer } from '../../../src/metrics/metrics-server';
import { disputeKinds } from '../../../src/operator/contribution-lookup/dispute-kinds';
import { addEndpoint } from '../../support/added-endpoint';
import { addProject } from '../../support/catalogue';
import { startPostgresProxy } from '../../support/postgres-proxy';
import { scrape, serveMetricsOf } from '../../support/metrics';
import { operate } from '../../support/operations';
import type { Scope } from '../../../src/shared/scopes';
import { startService, type TestCompany, type TestService } from '../../support/service';

/** Metrics that are read from the database. Each service reads them once, at its first scrape. */
let service: TestService;
let metrics: MetricsServer;

beforeEach(async () => {
  service = await startService({ settings: { OVERDUE_AFTER_HOURS: '48' } });
  metrics = await serveMetricsOf(service);
});
afterEach(async () => {
  await metrics.stop();
  await service.stop();
});

test('pending contributions are counted by kind and age, completed ones are not counted', async () => {
  const company = await service.addCompany();
  const projectId = await addProject(service.database.admin);
  const create = async (kind: 'test' | 'production', hoursAgo: number): Promise<string> => {
    const body = { project_id: projectId, amount: '1.00', user_hash: 'u' };
    const response = await company[kind].put('/company/integration/contributions/create', body).expect(201);
    const { transaction_id: id } = response.body as { transaction_id: string };
    // The service creates no old rows, and a trigger rejects changes to them.
    // One by one: Citus rejects several commands in one text.
    for (const sql of [
      'ALTER TABLE transactions DISABLE TRIGGER transactions_guard',
      `UPDATE transactions SET created_at = now() - interval '${hoursAgo} hours' WHERE transaction_id = '${id}'`,
      'ALTER TABLE transactions ENABLE TRIGGER transactions_guard',
    ]) {
      await service.database.admin.query(sql);
    }
    return id;
  };
  for (const hours of [0, 0, 0, 2, 47, 49]) await create('production', hours);
  await create('test', 1_000);
  const completed = await create('production', 0);
  await company.production
    .put(`/company/integration/contributions/${completed}`, { status: 'completed' })
    .expect(200);

  const { value } = await scrape(metrics.port);
  const pending = (kind: string, age: string) =>
    value('contribution_pending_transactions', { environment_kind: kind, age });
  expect(pending('production', 'under_1_hour')).toBe(3);
  expect(pending('production', 'over_1_hour')).toBe(2);
  expect(pending('production', 'overdue')).toBe(1);
  expect(pending('test', 'under_1_hour')).toBe(0);
  expect(pending('test', 'overdue')).toBe(1);
  expect(value('contribution_reading_timestamp_seconds')).toBeCloseTo(Date.now() / 1000, -2);

  // The values are read once a minute, so later changes do not appear yet.
  await create('production', 0);
  const again = await scrape(metrics.port);
  expect(
    again.value('contribution_database_statement_duration_seconds_count', {
      statement: 'count_pending_transactions',
    }),
  ).toBe(1);
});

test('open disputes are counted by kind and age until an operator resolves them, whatever restarts', async () => {
  const [company, first, second] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  for (const kind of ['production', 'test'] as const) {
    for (const bank of [first, second]) await service.companies.linkBank(kind, company.name, bank.name);
  }
  const projectId = await addProject(service.database.admin);
  const contributions = '/company/integration/contributions';
  const create = async (kind: 'test' | 'production' = 'production'): Promise<string> => {
    const body = { project_id: projectId, amount: '1.00', user_hash: 'u' };
    const response = await company[kind].put(`${contributions}/create`, body).expect(201);
    return (response.body as { transaction_id: string }).transaction_id;
  };
  const complete = (bank: TestCompany, id: string, evidence: object = {}) =>
    bank.production.put(`${contributions}/${id}`, { status: 'completed', ...evidence });
  const [mismatch, old, both] = [await create(), await create(), await create()];
  for (const id of [mismatch, mismatch, old]) await complete(first, id, { amount: '2.00' }).expect(409);
  await complete(first, both).expect(200);
  await complete(second, both).expect(409);
  await first.production
    .post(`${contributions}/${both}/returns`, { kind: 'return', amount: '1.00', bank_reference: 'RT-1' })
    .expect(201);
  await complete(first, both).expect(200);
  const inTest = { status: 'completed', amount: '2.00' };
  await first.test.put(`${contributions}/${await create('test')}`, inTest).expect(409);
  for (const sql of [
    'ALTER TABLE events DISABLE TRIGGER events_guard',
    `UPDATE events SET recorded_at = now() - interval '25 hours' WHERE transaction_id = '${old}'`,
    'ALTER TABLE events ENABLE TRIGGER events_guard',
  ]) {
    await service.database.admin.query(sql);
  }

  expect(await openDisputes(metrics)).toEqual({
    'amount_mismatch under_1_day': 1,
    'amount_mismatch over_1_day': 1,
    'contested_completion under_1_day': 1,
    'contested_completion over_1_day': 0,
    'repeated_after_return under_1_day': 1,
    'repeated_after_return over_1_day': 0,
  });

  await operate(service.database, async ({ disputes, actions }) => {
    for (const [name, id] of [
      ['mismatches', mismatch],
      ['contested', both],
      ['repeated', both],
    ] as const) {
      const { lastRefusedAtExactly } = await disputes[name].resolve(id);
      await actions.record({
        claimedOperator: 'anna',
        command: disputeKinds[name].command,
        target: id,
        arguments: { reason: 'agreed' },
        result: { refused_until: lastRefusedAtExactly },
      });
    }
  });
  const restarted = await startService({ database: service.database });
  const listener = await serveMetricsOf(restarted);
  try {
    expect(await openDisputes(listener)).toEqual({
      'amount_mismatch under_1_day': 0,
      'amount_mismatch over_1_day': 1,
      'contested_completion under_1_day': 0,
      'contested_completion over_1_day': 0,
      'repeated_after_return under_1_day': 0,
      'repeated_after_return over_1_day': 0,
    });
  } finally {
    await listener.stop();
    await restarted.stop();
  }
});

/** The open disputes in production, by kind and age. */
async function openDisputes({ port }: MetricsServer): Promise<Record<string, number>> {
  const { samples } = await scrape(port);
  return Object.fromEntries(
    samples
      .filter(
        ({ name, labels }) =>
          name === 'contribution_open_disputes' && labels['environment_kind'] === 'production',
      )
      .map(({ labels, value }) => [`${labels['kind']} ${labels['age']}`, value]),
  );
}

test('the age of the oldest event that waits for an endpoint is read, without failing endpoints', async () => {
  const admin = service.database.admin;
  const [late, failing] = [await service.addCompany(), await service.addCompany()];
  await (await addEndpoint(admin, late.name)).writeEvent(300);
  const { change, writeEvent } = await addEndpoint(admin, failing.name);
  await writeEvent(9_000);
  await change('failure_count = 10, failing_since = now(), next_probe_at = now()');
  const { value } = await scrape(metrics.port);
  expect(value('contribution_webhook_lag_seconds')).toBeGreaterThanOrEqual(300);
  expect(value('contribution_webhook_lag_seconds')).toBeLessThan(400);
  expect(value('contribution_failing_webhook_endpoints')).toBe(1);
});

test('companies are counted whose endpoints in production began to fail less than a day ago', async () => {
  const admin = service.database.admin;
  await admin.query('DELETE FROM webhook_endpoints');
  const fail = async (kind: 'production' | 'test', hours: number): Promise<void> => {
    const { change } = await addEndpoint(admin, (await service.addCompany()).name, kind);
    await change(
      `failure_count = 10, failing_since = now() - interval '${hours} hours', next_probe_at = now()`,
    );
  };
  await fail('production', 0);
  await fail('production', 23);
  await fail('production', 25);
  await fail('test', 0);
  const { value } = await scrape(metrics.port);
  expect(value('contribution_failing_webhook_endpoints')).toBe(4);
  expect(value('contribution_failing_webhook_companies')).toBe(2);
});

test('key pairs that expire within 7 days are counted, with those that have a successor apart', async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  await service.companies.create('A company');
  await service.companies.create('Another company');
  const issue = (scope: Scope, expiresAt: Date | undefined, company = 'A company') =>
    service.keyPairs.issue({ company, kind: 'production', scopes: [scope], expiresAt });
  await issue('projects:read', days(3));
  await issue('projects:read', days(30));
  await issue('contributions:read', days(6));
  await issue('contributions:read', undefined, 'Another company');
  await issue('contributions:create', days(6));
  await issue('contributions:create', undefined);
  await issue('contributions:complete', days(6));
  await service.keyPairs.revoke((await issue('contributions:complete', undefined)).apiKey);
  // Neither a revoked nor an expired key pair is counted.
  await service.keyPairs.revoke((await issue('projects:read', days(6), 'Another company')).apiKey);
  const expired = await issue('contributions:create', days(6), 'Another company');
  await service.database.admin.query(
    `UPDATE key_pairs SET created_at = now() - interval '2 days', expires_at = now() - interval '1 day' WHERE api_key = $1`,
    [expired.apiKey],
  );
  const { value } = await scrape(metrics.port);
  const expiring = (kind: string, successor: string) =>
    value('contribution_expiring_key_pairs', { environment_kind: kind, successor });
  expect(expiring('production', 'yes')).toBe(2);
  expect(expiring('production', 'no')).toBe(2);
  expect(expiring('test', 'no')).toBe(0);
});

test('while the database is unavailable, the process still serves its own metrics and reports the failed reading', async () => {
  const proxy = await startPostgresProxy(service.database.url);
  const away = await startService({ database: service.database, databaseUrl: proxy.url });
  const listener = await serveMetricsOf(away);
  try {
    proxy.refuse();
    const { value } = await scrape(listener.port);
    expect(value('contribution_database_connections_limit')).toBeGreaterThan(0);
    expect(value('contribution_reading_timestamp_seconds')).toBe(0);
    const later = await scrape(listener.port);
    expect(later.value('contribution_reading_failures_total')).toBe(1);
    expect(later.value('contribution_database_refusals_total', { reason: 'unreachable' })).toBe(1);
  } finally {
    await listener.stop();
    await proxy.stop();
    await away.stop();
  }
});
