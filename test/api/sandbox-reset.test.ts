import { setTimeout } from 'node:timers/promises';

import { addProject } from '../support/catalogue';
import { isCitus } from '../support/citus/databases';
import { createClient, type Client } from '../support/client';
import { earlier } from '../support/earlier';
import { relayAll } from '../support/feed';
import { isFullRun, longTest } from '../support/full-run';
import { operate } from '../support/operations';
import { calculateFigures } from '../support/project-figures';
import { sendReturn, sendUndo } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { countAll } from '../support/totals';
import { statementFile, uploadAndWait } from '../support/statement-files';
import { until } from '../support/until';
import { verifyDatabase } from '../suites/faults/verify';

/** The sandbox's reset: a new environment takes the key pairs, and the old one stays unchanged. */
const base = '/company/integration';
const settings = `${base}/sandbox/settings`;

let service: TestService;
let projectId: number;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_RESETS_PER_DAY: '50' }, pollMs: 100 });
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  // A violation stays, so one look after all tests finds it.
  if (isFullRun) expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await service.stop();
});

const create = (client: Client, key: string, amount = '25.00') =>
  client
    .put(`${base}/contributions/create`, { project_id: projectId, amount, user_hash: 'somebody' })
    .set('Idempotency-Key', key);

async function createdId(client: Client, key: string, amount?: string): Promise<string> {
  const { body } = await create(client, key, amount).expect(201);
  return (body as { transaction_id: string }).transaction_id;
}

const complete = (client: Client, id: string) =>
  client.put(`${base}/contributions/${id}`, { status: 'completed' });

const reset = (client: Client, body: object = {}) => client.post(`${base}/sandbox/reset`, body);

async function listed(client: Client): Promise<string[]> {
  const { body } = await client.get(`${base}/contributions?limit=100`).expect(200);
  return (body as { data: { transaction_id: string }[] }).data.map((row) => row.transaction_id);
}

interface Row {
  transaction_id: string;
  idempotency_key: string;
  status: string;
  is_retired: boolean;
}

/** The contributions of a company's test environment, of all generations. */
async function rowsOf({ name }: TestCompany): Promise<Row[]> {
  const { rows } = await service.database.admin.query<Row>(
    `SELECT t.transaction_id, t.idempotency_key, t.status, e.retired_at IS NOT NULL AS is_retired
       FROM transactions t JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
      WHERE c.name = $1 AND e.kind = 'test'`,
    [name],
  );
  return rows;
}

describe('a reset', () => {
  test('empties the test environment and keeps the pair and the tag', async () => {
    const company = await service.addCompany();
    const id = await createdId(company.test, 'order-1');
    await complete(company.test, id).expect(200);
    const { body } = await reset(company.test).expect(200);
    expect(body).toEqual({ reset_at: expect.any(String), resets_left: 49, transaction_ids: [] });
    expect(await listed(company.test)).toEqual([]);
    await company.test.get(`${base}/contributions/${id}`).expect(404);
    await complete(company.test, id).expect(404);
    // The key is new in the new environment.
    const again = await createdId(company.test, 'order-1', '30.00');
    expect(again).not.toBe(id);
    expect(again.slice(0, 4)).toBe(id.slice(0, 4));
    expect(await listed(company.test)).toEqual([again]);
    expect((await rowsOf(company)).map((row) => [row.transaction_id, row.is_retired])).toEqual(
      expect.arrayContaining([
        [id, true],
        [again, false],
      ]),
    );
  });

  test('changes neither production nor another company', async () => {
    const company = await service.addCompany();
    const other = await service.addCompany();
    const ids = [await createdId(company.production, 'k'), await createdId(other.test, 'k')];
    await reset(company.test).expect(200);
    expect([...(await listed(company.production)), ...(await listed(other.test))]).toEqual(ids);
  });

  test('rejects a production pair before anything else', async () => {
    const company = await service.addCompany();
    const { body } = await reset(company.production, { seed: 'nonsense' }).expect(403);
    expect(body).toMatchObject({ code: 'sandbox_only' });
  });

  test('rejects an unknown seed', async () => {
    const company = await service.addCompany();
    const { body } = await reset(company.test, { seed: 'nonsense' }).expect(400);
    expect(body).toMatchObject({ errors: [{ pointer: '/seed', code: 'unsupported_value' }] });
  });

  test('starts with the contributions of the seed', async () => {
    const company = await service.addCompany();
    const { body } = await reset(company.test, { seed: 'demo' }).expect(200);
    const { transaction_ids: ids } = body as { transaction_ids: string[] };
    expect(ids.length).toBeGreaterThan(0);
    expect(await listed(company.test)).toEqual(ids);
  });

  test('of a suspended company works without the seed', async () => {
    const company = await service.addCompany();
    await service.database.admin.query('UPDATE companies SET suspended_at = now() WHERE name = $1', [
      company.name,
    ]);
    const { body } = await reset(company.test, { seed: 'demo' }).expect(200);
    expect(body).toMatchObject({ transaction_ids: [] });
  });

  test('moves all live pairs, and rotation and revocation still work', async () => {
    const company = await service.addCompany();
    const second = await service.addPair(company, 'test', ['contributions:create', 'contributions:read']);
    await reset(company.test).expect(200);
    const id = await createdId(second, 'by the second pair');
    expect(await listed(company.test)).toEqual([id]);
    const third = await service.addPair(company, 'test', ['contributions:read']);
    expect(await listed(third)).toEqual([id]);
  });

  test('removes armed faults and the request log', async () => {
    const company = await service.addCompany();
    const fault = { operation: 'listProjects', kind: '503_before' };
    await company.test.post(`${base}/sandbox/faults`, fault).expect(200);
    await company.test.get(`${base}/get/projects`).expect(503);
    await company.test.post(`${base}/sandbox/faults`, fault).expect(200);
    await reset(company.test).expect(200);
    await company.test.get(`${base}/get/projects`).expect(200);
    expect((await company.test.get(`${base}/sandbox/faults`).expect(200)).body).toEqual({
      data: [],
      has_more: false,
    });
    await until('the log has a request', async () => {
      const { body } = await company.test.get(`${base}/sandbox/requests`).expect(200);
      const { data } = body as { data: { status: number }[] };
      expect(data.map(({ status }) => status)).not.toContain(503);
      return data.length > 0;
    });
  });
});

describe('the number of resets', () => {
  test('is limited within 24 hours, for the company and not for the pair', async () => {
    const limited = await startService({
      database: service.database,
      settings: { SANDBOX_RESETS_PER_DAY: '2' },
    });
    const company = await limited.addCompany('Company that resets often');
    const second = await limited.addPair(company, 'test', ['sandbox']);
    expect((await reset(company.test).expect(200)).body).toMatchObject({ resets_left: 1 });
    expect((await reset(second).expect(200)).body).toMatchObject({ resets_left: 0 });
    const refused = await reset(company.test).expect(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(80_000);
    expect(Number(refused.get('Retry-After'))).toBeLessThanOrEqual(86_400);
    await service.database.admin.query(
      `UPDATE environments e
          SET retired_at = ${earlier('e.retired_at', '25 hours')}, created_at = ${earlier('e.created_at', '25 hours')}
         FROM companies c WHERE c.company_id = e.company_id AND c.name = $1 AND e.kind = 'test'`,
      [company.name],
    );
    await reset(company.test).expect(200);
    await limited.stop();
  });
});

describe('the simulated bank', () => {
  test('follows to the new environment, and its scheduled settlements stop', async () => {
    const company = await service.addCompany();
    await company.test.put(settings, { bank: 'simulated', settle_after_seconds: 2 }).expect(200);
    const old = await createdId(company.test, 'old');
    const body = { after_seconds: 1 };
    await company.test.post(`${base}/sandbox/contributions/${old}/settle`, body).expect(200);
    await reset(company.test).expect(200);
    expect((await company.test.get(settings).expect(200)).body).toEqual({
      bank: 'simulated',
      settle_after_seconds: 2,
      magic_amounts: true,
    });
    const fresh = await createdId(company.test, 'fresh');
    await until('the new contribution is completed', async () => {
      const { body: read } = await company.test.get(`${base}/contributions/${fresh}`).expect(200);
      return (read as { status: string }).status === 'completed';
    });
    const statuses = Object.fromEntries(
      (await rowsOf(company)).map((row) => [row.transaction_id, row.status]),
    );
    // The settlement of the old contribution was due earlier, so it would have run by now.
    expect(statuses).toEqual({ [old]: 'pending', [fresh]: 'completed' });
  });
});

describe('a linked bank', () => {
  test('sees the new environment of a company, and no longer the old one', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    await service.companies.linkBank('test', company.name, bank.name);
    const old = await createdId(company.test, 'old');
    expect(await listed(bank.test)).toEqual([old]);
    await bank.test.get(`${base}/contributions/${old}`).expect(200);
    await reset(company.test).expect(200);
    expect(await listed(bank.test)).toEqual([]);
    await bank.test.get(`${base}/contributions/${old}`).expect(404);
    await complete(bank.test, old).expect(404);
    const { body } = await bank.test.get(`${base}/links`).expect(200);
    expect(body).toMatchObject({ data: [{ role: 'company', company_name: company.name }] });
    const fresh = await createdId(company.test, 'fresh');
    expect(await listed(bank.test)).toEqual([fresh]);
    await complete(company.test, fresh).expect(403);
    await complete(bank.test, fresh).expect(200);
  });

  test('that resets keeps its links, and no longer sees what it completed before', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    await service.companies.linkBank('test', company.name, bank.name);
    const completed = await createdId(company.test, 'completed');
    await complete(bank.test, completed).expect(200);
    const pending = await createdId(company.test, 'pending');
    await reset(bank.test).expect(200);
    expect(await listed(bank.test)).toEqual([pending]);
    await complete(bank.test, pending).expect(200);
    expect(await listed(company.test)).toEqual([completed, pending]);
    await service.companies.unlinkBank('test', company.name, bank.name);
  });
});

describe('a purge', () => {
  const purge = (most = 100) =>
    operate(service.database, ({ retiredEnvironments }) => retiredEnvironments.purge(most));
  async function age(days: number): Promise<void> {
    const { admin } = service.database;
    const { rows } = await admin.query<{ environment_id: number; retired_at: Date; created_at: Date }>(
      'SELECT environment_id, retired_at, created_at FROM environments WHERE retired_at IS NOT NULL',
    );
    const earlier = (time: Date): Date => new Date(time.getTime() - days * 86_400_000);
    for (const { environment_id: id, retired_at: retiredAt, created_at: createdAt } of rows)
      await admin.query(
        'UPDATE environments SET retired_at = $2, created_at = $3 WHERE environment_id = $1',
        [id, earlier(retiredAt), earlier(createdAt)],
      );
  }
  const kept = new Set([
    // Rows of other environments refer to these tables, and revoked pairs stay revoked.
    ...['environments', 'bank_links', 'key_pairs'],
    // A reset moves this row to the new environment.
    'sandbox_settings',
  ]);
  let tables: string[];

  beforeAll(async () => {
    const { rows } = await service.database.admin.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'environment_id'
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
    );
    tables = rows.map(({ name }) => name).filter((name) => !kept.has(name));
  });

  /** How many rows of each table belong to retired environments, and how many to the others. */
  async function counts(): Promise<Record<string, { retired: number; live: number }>> {
    const parts = tables.map(
      (table) =>
        `SELECT '${table}' AS name, count(*) FILTER (WHERE e.retired_at IS NOT NULL)::integer AS retired,
                count(*) FILTER (WHERE e.retired_at IS NULL)::integer AS live
           FROM ${table} JOIN environments e USING (environment_id)`,
    );
    const { rows } = await service.database.admin.query<{ name: string; retired: number; live: number }>(
      parts.join(' UNION ALL '),
    );
    return Object.fromEntries(rows.map(({ name, ...count }) => [name, count]));
  }

  /** Rows that this test does not cause otherwise. Concurrent requests can leave them. */
  const additions = [
    `INSERT INTO story_views (environment_id, user_id, project_id, viewed_story_numbers)
     SELECT environment_id, user_id, project_id, '{[1,2)}' FROM supports WHERE environment_id = $1`,
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
     SELECT environment_id, project_id, 0, 0 FROM supports WHERE environment_id = $1`,
    `INSERT INTO sandbox_settlements
       (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, id_is_mistyped, done_at, outcome)
     SELECT environment_id, transaction_id, 1, now(), 1, 'SIM-1', false, now(), 'completed'
       FROM transactions WHERE environment_id = $1`,
    `INSERT INTO sandbox_faults (environment_id, operation, kind, times, times_left, delay_ms, armed_at, expires_at)
     VALUES ($1, 'createContribution', 'delay', 1, 1, 0, now(), now())`,
    `INSERT INTO sandbox_requests
       (environment_id, received_at, entry_id, request_id, method, duration_ms, api_key, details)
     VALUES ($1, now(), gen_random_uuid(), 'r', 'GET', 1, 'k', '{}')`,
    `INSERT INTO webhook_endpoints
       (environment_id, endpoint_id, environment_kind, slot, url, types, created_at, updated_at, secret_version,
        key_version, position, failure_count, probe_count, notice_count)
     SELECT $1, gen_random_uuid(), 'test', 1, 'https://app.example.com/', '{}', now(), now(), 1, 1, last_sequence, 0, 0, 0
       FROM feeds WHERE environment_id = $1`,
    `INSERT INTO webhook_retries
       (environment_id, endpoint_id, event_id, sequence, transaction_id, attempts, outage_attempts, next_attempt_at,
        created_at)
     SELECT environment_id, endpoint_id, event_id, sequence, transaction_id, 1, 0, now(), now()
       FROM webhook_endpoints JOIN feed_events USING (environment_id)
      WHERE environment_id = $1 AND transaction_id IS NOT NULL ORDER BY sequence LIMIT 1`,
    `INSERT INTO webhook_replays
       (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count, position,
        delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at)
     SELECT environment_id, gen_random_uuid(), endpoint_id, 1, 1, '{}', 'all', 1, 0, 0, 0, 0, 0, now(), now()
       FROM webhook_endpoints WHERE environment_id = $1`,
    `INSERT INTO webhook_deliveries
       (environment_id, endpoint_id, first_attempt_id, kind, first_sequence, last_sequence, recorded_at,
        sequence_offsets, statuses, started_ms_ago, durations_ms)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), 'first', 1, 1, now(), '{0}', '{204}', '{1}', '{1}')`,
    `INSERT INTO webhook_attempts
       (environment_id, attempt_id, endpoint_id, event_id, attempted_at, kind, attempt, outcome, duration_ms)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), 'first', 1, 'delivered', 1)`,
    `INSERT INTO statement_uploads (environment_id, upload_id, options_hmac, pepper_version)
     VALUES ($1, gen_random_uuid(), '', 1)`,
    `INSERT INTO statement_upload_chunks (environment_id, upload_id, number, sealed)
     SELECT environment_id, upload_id, 0, '' FROM statement_uploads WHERE environment_id = $1`,
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction)
     VALUES ($1, gen_random_uuid(), 'hmac', 'credit')`,
    `INSERT INTO bank_statements
       (environment_id, statement_id, file_id, account_id, format, is_final, first_day, last_day, start_ms, end_ms,
        is_period_stated, covers_to, change_cents, is_damaged, digest)
     SELECT environment_id, gen_random_uuid(), gen_random_uuid(), account_id, 'csv', true, '2026-11-20', '2026-11-20',
            0, 0, true, '2026-11-20', 0, false, ''
       FROM statement_accounts WHERE environment_id = $1`,
    `INSERT INTO statement_days (environment_id, account_id, day, statement_id, before_cents, change_cents)
     SELECT environment_id, account_id, first_day, statement_id, 0, 0 FROM bank_statements WHERE environment_id = $1`,
    `INSERT INTO statement_lines
       (environment_id, statement_id, number, account_id, day, bucket, direction, amount_cents, charges_cents, ids,
        content, digest, search, is_part, money_hash, batch_hash)
     SELECT environment_id, statement_id, 1, account_id, first_day, 1, 'credit', 1, 0, '', '', '', '{}', false, 1, 1
       FROM bank_statements WHERE environment_id = $1`,
    `INSERT INTO account_days (environment_id, account_id, day)
     SELECT environment_id, account_id, first_day FROM bank_statements WHERE environment_id = $1`,
    `INSERT INTO line_exceptions (environment_id, account_id, day, generation, statement_id, number, kind)
     SELECT environment_id, account_id, day, 1, account_id, 1, 'doubtful' FROM account_days WHERE environment_id = $1`,
    `INSERT INTO line_outcomes
       (environment_id, account_id, day, bucket, statement_id, number, part, state, replaced_by, direction,
        amount_cents, digest)
     SELECT environment_id, account_id, day, 1, account_id, 1, 0, 'replaced', '', 'credit', 1, ''
       FROM account_days WHERE environment_id = $1`,
    `INSERT INTO line_references (environment_id, reference, account_id, day, bucket)
     SELECT environment_id, 'FT-1', account_id, day, 1 FROM account_days WHERE environment_id = $1`,
    `INSERT INTO line_decisions
       (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, digest, content,
        occurrence, money_hash, can_move, action, reason, decided_by)
     SELECT environment_id, account_id, 1, account_id, account_id, day, 'credit', 1, '', '', 1, 1, true, 'ignore', 'r', 'k'
       FROM account_days WHERE environment_id = $1`,
    `INSERT INTO day_choices (environment_id, account_id, day, number, kind, reason, decided_by)
     SELECT environment_id, account_id, day, 1, 'all_lines', 'r', 'k' FROM account_days WHERE environment_id = $1`,
    `INSERT INTO version_changes (environment_id, account_id, day, generation, version_before, lines_gone, lines_added)
     SELECT environment_id, account_id, day, 1, 'v', 1, 0 FROM account_days WHERE environment_id = $1`,
    `INSERT INTO comparing_progress (environment_id, sequence, list_revision, link_changes) VALUES ($1, 1, 1, 1)`,
    `INSERT INTO closed_months (environment_id, month, closed_by) VALUES ($1, '2026-10-01', 'k')`,
    `INSERT INTO month_changes (environment_id, month, number, kind, numbers, reason, changed_by)
     VALUES ($1, '2026-10-01', 1, 'closed', '{}', 'r', 'k')`,
    `INSERT INTO account_rules (environment_id, account_id, number, direction, code, outcome, reason, decided_by)
     SELECT environment_id, account_id, 1, 'debit', 'CHRG', 'charge', 'r', 'k'
       FROM statement_accounts WHERE environment_id = $1`,
    `INSERT INTO account_numbers (environment_id, account_hmac, account_id, reason, decided_by)
     SELECT environment_id, account_hmac, account_id, 'r', 'k' FROM statement_accounts WHERE environment_id = $1`,
  ];

  longTest('deletes what was retired seven days ago, and nothing else', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    await service.companies.linkBank('test', company.name, bank.name);
    const id = await createdId(company.test, 'old');
    await complete(bank.test, id).expect(200);
    const sent = { kind: 'return', code: 'R01', amount: '2.00', bank_reference: 'RT-1' };
    const { body } = await sendReturn(bank.test, id, sent).expect(201);
    const undone = { amount: '1.00', bank_reference: 'PA-1', value_date: '2026-11-21' };
    await sendUndo(bank.test, id, (body as { return_id: string }).return_id, undone).expect(201);
    const corrected = await createdId(company.test, 'corrected');
    await complete(bank.test, corrected).expect(200);
    await bank.test
      .post(`/company/integration/contributions/${corrected}/correction`, { reason: 'wrong' })
      .expect(201);
    await uploadAndWait(
      company.test,
      statementFile([{ cents: 10_00n, id, reference: 'AX-1' }], { from: '2026-11-20' }),
    );
    await company.test
      .post('/company/integration/statements/settlements')
      .set('Content-Type', 'application/x-ndjson')
      .send(JSON.stringify({ reference: 'FT-1', transaction_id: id, amount: '10.00' }))
      .expect(200);
    await relayAll(service.database.admin);
    await calculateFigures(service.database);
    const { rows: figures } = await service.database.admin.query(
      'SELECT FROM project_figures f JOIN environments e ON e.environment_id = f.figures_scope',
    );
    expect(figures.length).toBeGreaterThan(0);
    const second = await service.addCompany();
    for (const each of [company, second]) await reset(each.test).expect(200);
    // The log of requests is written later.
    await until('the resets are logged', async () => {
      const { rowCount } = await service.database.admin.query(
        `SELECT FROM sandbox_requests JOIN environments USING (environment_id) JOIN companies USING (company_id)
          WHERE operation = 'resetSandbox' AND name = ANY ($1)`,
        [[company.name, second.name]],
      );
      return rowCount === 2;
    });
    await countAll(service.database.admin);
    const third = await service.addCompany();
    await createdId(third.test, 'still queued');
    await reset(third.test).expect(200);
    // The request log is written once a second.
    await setTimeout(1_200);
    await age(5);
    expect(await purge()).toMatchObject({ environments: 0, rows: 0, left: 0 });
    const { rows: retired } = await service.database.admin.query<{ environment_id: number }>(
      `SELECT environment_id FROM supports WHERE environment_id IN (
         SELECT environment_id FROM environments WHERE retired_at IS NOT NULL)`,
    );
    for (const sql of additions)
      await service.database.admin.query(`${sql} ON CONFLICT DO NOTHING`, [retired[0]!.environment_id]);
    // The service adds up changes of figures once a minute. Then their rows are gone.
    await service.database.admin.query(`UPDATE project_figures_turn SET taken_at = 'infinity'`);
    const before = await counts();
    // A table without rows would show nothing. Add rows of each new table here.
    expect(tables.filter((table) => before[table]!.retired === 0)).toEqual([]);

    await age(3);
    const { left } = await purge(1);
    expect(left).toBeGreaterThan(0);
    expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
    await purge();
    const after = await counts();
    expect(tables.filter((table) => after[table]!.retired > 0)).toEqual([]);
    for (const table of tables.filter((name) => name !== 'sandbox_requests'))
      expect([table, after[table]!.live]).toEqual([table, before[table]!.live]);
    await reset(bank.test).expect(200);
    await age(8);
    await purge();
    expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
    expect(await purge()).toEqual({ environments: 0, rows: 0, left: 0 });
    expect(await listed(company.test)).toEqual([]);
    await createdId(company.test, 'afterwards');
  });

  longTest('deletes events that entered the feed of a bank after its purge', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    await service.companies.linkBank('test', company.name, bank.name);
    const id = await createdId(company.test, 'created while linked');
    await reset(bank.test).expect(200);
    await age(8);
    await purge();
    await complete(bank.test, id).expect(200);
    await relayAll(service.database.admin);
    expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
    expect(await purge()).toMatchObject({ environments: 1, left: 0 });
  });

  test('rejects an environment that is in use or was retired recently', async () => {
    const company = await service.addCompany();
    await createdId(company.test, 'kept');
    await reset(company.test).expect(200);
    await createdId(company.test, 'kept too');
    const { rows } = await service.database.admin.query<{ environment_id: number; kind: string }>(
      'SELECT environment_id, kind FROM environments JOIN companies USING (company_id) WHERE name = $1',
      [company.name],
    );
    expect(rows).toHaveLength(3);
    for (const { environment_id: environmentId, kind } of rows) {
      const run = (sql: string) => service.database.admin.query(sql, [environmentId]);
      const constraint = 'environments_purged_after_seven_days';
      await expect(run('SELECT purge_retired_environment($1, 10)')).rejects.toMatchObject({ constraint });
      // Distributed tables have no triggers.
      if (kind === 'production' || isCitus) continue;
      const deletion = run('DELETE FROM events WHERE environment_id = $1');
      await expect(deletion).rejects.toMatchObject({ constraint: 'events_append_only' });
    }
  });
});

describe('requests that run during resets', () => {
  /** Receives no notifications, so it keeps a pair for a second. */
  let other: TestService;
  beforeAll(async () => {
    other = await startService({
      database: service.database,
      settings: {
        SANDBOX_RESETS_PER_DAY: '50',
        DATABASE_NOTIFICATIONS_URL: 'postgres://nobody:nothing@127.0.0.1:1/none',
      },
    });
  });
  afterAll(() => other.stop());

  test('reach the new environment through a process with the old pair in memory', async () => {
    const company = await service.addCompany();
    const elsewhere = createClient(other.server, company.test);
    const old = await createdId(elsewhere, 'key');
    const pending = await createdId(elsewhere, 'pending');
    await reset(company.test).expect(200);
    const fresh = await createdId(elsewhere, 'key');
    expect(fresh).not.toBe(old);
    await reset(company.test).expect(200);
    await complete(elsewhere, pending).expect(404);
    await reset(company.test).expect(200);
    await elsewhere.put(settings, { bank: 'simulated' }).expect(200);
    expect((await company.test.get(settings).expect(200)).body).toMatchObject({ bank: 'simulated' });
    await reset(company.test).expect(200);
    await reset(elsewhere).expect(200);
    expect((await rowsOf(company)).map(({ status, is_retired }) => [status, is_retired])).toEqual([
      ['pending', true],
      ['pending', true],
      ['pending', true],
    ]);
  });

  test('commit entirely in one environment, and none is lost', async () => {
    const company = await service.addCompany();
    const clients = [company.test, createClient(other.server, company.test)];
    const count = 100;
    const confirmed = new Map<string, string>();
    const unknown: number[] = [];
    const write = async (index: number): Promise<void> => {
      const client = clients[index % clients.length] as Client;
      const id = await createdId(client, `order-${index}`);
      confirmed.set(id, `order-${index}`);
      const { status } = await complete(client, id);
      // A reset came before the completion.
      if (status !== 200) unknown.push(status);
    };
    const writers = Array.from({ length: count }, (_, index) => write(index));
    const resets = clients.map((client) => reset(client).expect(200));
    await Promise.all([...writers, ...resets]);
    const rows = await rowsOf(company);
    expect(rows).toHaveLength(count);
    expect(Object.fromEntries(confirmed)).toEqual(
      Object.fromEntries(rows.map((row) => [row.transaction_id, row.idempotency_key])),
    );
    expect(unknown.every((status) => status === 404)).toBe(true);
    const live = rows.filter((row) => !row.is_retired).map((row) => row.transaction_id);
    expect((await listed(company.test)).sort()).toEqual(live.sort());
  });

  test('that are themselves resets create one environment after the other', async () => {
    const company = await service.addCompany();
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        reset(createClient(index % 2 === 0 ? service.server : other.server, company.test)),
      ),
    );
    // A reset that loses five races rejects the request without effect.
    const done = responses.filter(({ status }) => status === 200).length;
    const { rows } = await service.database.admin.query<{ live: number; retired: number }>(
      `SELECT count(*) FILTER (WHERE retired_at IS NULL)::integer AS live,
              count(*) FILTER (WHERE retired_at IS NOT NULL)::integer AS retired
         FROM environments e JOIN companies c USING (company_id) WHERE c.name = $1 AND kind = 'test'`,
      [company.name],
    );
    expect(rows).toEqual([{ live: 1, retired: done }]);
    expect(done).toBeGreaterThanOrEqual(2);
    await createdId(company.test, 'afterwards');
  });
});
