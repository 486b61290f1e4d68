import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verifyDatabase } from '../suites/faults/verify';

/** The sandbox's simulated bank: settings, settle and the magic amounts. */
const base = '/company/integration';
const settings = `${base}/sandbox/settings`;

let service: TestService;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await service.stop();
});

async function create(client: Client, amount = '25.00'): Promise<string> {
  const body = { project_id: projectId, amount, user_hash: 'somebody' };
  const response = await client.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

async function simulate(company: TestCompany, more: object = {}): Promise<void> {
  const body = { bank: 'simulated', settle_after_seconds: 0, ...more };
  await company.test.put(settings, body).expect(200);
}

const read = async (client: Client, id: string) =>
  (await client.get(`${base}/contributions/${id}`).expect(200)).body as Record<string, unknown>;

const settle = (client: Client, id: string, body: object = {}) =>
  client.post(`${base}/sandbox/contributions/${id}/settle`, body);

const completed = (client: Client, id: string) =>
  until(`${id} is completed`, async () => (await read(client, id))['status'] === 'completed');

async function eventsOf(id: string): Promise<[type: string, evidence: object, actor: string][]> {
  const { rows } = await service.database.admin.query<{ type: string; evidence: object; actor: string }>(
    `SELECT type, evidence, actor_api_key AS actor FROM events WHERE transaction_id = $1 ORDER BY recorded_at`,
    [id],
  );
  return rows.slice(1).map(({ type, evidence, actor }) => [type, evidence, actor]);
}

const today = (): string => new Date().toISOString().slice(0, 10);

describe('the settings', () => {
  test('are none by default, and linked after the operator linked a bank', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    const defaults = { settle_after_seconds: 2, magic_amounts: true };
    expect((await company.test.get(settings).expect(200)).body).toEqual({ bank: 'none', ...defaults });
    await service.companies.linkBank('test', company.name, bank.name);
    expect((await company.test.get(settings).expect(200)).body).toEqual({ bank: 'linked', ...defaults });
  });

  test('start and end a real link with the simulated bank', async () => {
    const company = await service.addCompany();
    await simulate(company, { magic_amounts: false });
    expect((await company.test.get(settings).expect(200)).body).toEqual({
      bank: 'simulated',
      settle_after_seconds: 0,
      magic_amounts: false,
    });
    const { body } = await company.test.get(`${base}/links`).expect(200);
    expect(body).toMatchObject({ data: [{ role: 'bank', company_name: 'Simulated bank' }] });
    await company.test.put(settings, { bank: 'none' }).expect(200);
    expect((await company.test.get(`${base}/links`).expect(200)).body).toMatchObject({ data: [] });
    expect((await company.test.get(settings).expect(200)).body).toMatchObject({ settle_after_seconds: 2 });
  });

  test('never end a link of the operator', async () => {
    const company = await service.addCompany();
    const bank = await service.addCompany();
    await company.test.put(settings, { bank: 'linked' }).expect(409);
    await service.companies.linkBank('test', company.name, bank.name);
    await company.test.put(settings, { bank: 'none' }).expect(409);
    await simulate(company);
    await company.test.put(settings, { bank: 'linked' }).expect(200);
    const { body } = await company.test.get(`${base}/links`).expect(200);
    expect(body).toMatchObject({ data: [{ company_name: bank.name }] });
  });

  test('link once when they are set concurrently', async () => {
    const company = await service.addCompany();
    await Promise.all(Array.from({ length: 8 }, () => simulate(company)));
    const { body } = await company.test.get(`${base}/links`).expect(200);
    expect((body as { data: unknown[] }).data).toHaveLength(1);
  });

  test('cannot be reached with a production pair, whatever else is wrong with the request', async () => {
    const company = await service.addCompany();
    const response = await company.production.put(settings, { bank: 'nonsense' }).expect(403);
    expect(response.body).toMatchObject({ code: 'sandbox_only' });
    expect((await settle(company.production, 'nonsense')).body).toMatchObject({ code: 'sandbox_only' });
  });

  test('need the scope sandbox, which a production pair cannot have', async () => {
    const company = await service.addCompany();
    const client = await service.addPair(company, 'test', ['contributions:create', 'contributions:complete']);
    expect((await client.get(settings).expect(403)).body).toMatchObject({ code: 'scope_missing' });
    await expect(service.addPair(company, 'production', ['sandbox'])).rejects.toThrow(
      'cannot have the scope',
    );
  });
});

describe('the simulated bank', () => {
  test('completes a contribution by itself, and the company cannot', async () => {
    const company = await service.addCompany();
    await simulate(company, { settle_after_seconds: 1 });
    const id = await create(company.test);
    const own = await company.test.put(`${base}/contributions/${id}`, { status: 'completed' }).expect(403);
    expect(own.body).toMatchObject({ code: 'completion_reserved_for_bank' });
    await completed(company.test, id);
    const { created_at: from, completed_at: to, ...rest } = await read(company.test, id);
    expect(rest).toMatchObject({
      completed_by_you: false,
      bank_reference: `SIM-${id}`,
      value_date: today(),
    });
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBeGreaterThanOrEqual(1_000);
  });

  test('completes what was due when its process stopped', async () => {
    const stopped = await startService({ database: service.database });
    const company = await stopped.addCompany('Company of a stopped process');
    await simulate(company, { settle_after_seconds: 3 });
    const id = await create(company.test);
    const later = await create(company.test);
    await settle(company.test, later, { after_seconds: 3, bank_reference: 'later' }).expect(200);
    await stopped.stop();
    const { admin } = service.database;
    const pending = () =>
      admin.query(`SELECT 1 FROM transactions WHERE transaction_id = ANY ($1) AND status = 'pending'`, [
        [id, later],
      ]);
    expect((await pending()).rowCount).toBe(2);
    // Nothing told this process about the company. It looks for such work every second.
    await until('both are completed', async () => (await pending()).rowCount === 0);
  });

  test('completes for one company while another one has thousands of due settlements', async () => {
    const { admin } = service.database;
    const busy = await service.addCompany();
    await simulate(busy, { settle_after_seconds: 3_600 });
    const transaction = [await create(busy.test)];
    await admin.query(
      `INSERT INTO sandbox_settlements
         (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, id_is_mistyped)
       SELECT t.environment_id, t.transaction_id, 2 + n, now() + n * interval '1 microsecond', 1, 'many', true
         FROM transactions t CROSS JOIN generate_series(1, 2000) AS n WHERE t.transaction_id = $1`,
      transaction,
    );
    const count = async (condition: string) =>
      (
        await admin.query(
          `SELECT FROM sandbox_settlements WHERE transaction_id = $1 AND ${condition}`,
          transaction,
        )
      ).rowCount ?? 0;
    await until('the first is attempted', async () => (await count('outcome IS NOT NULL')) > 0);
    const other = await service.addCompany();
    await simulate(other);
    await completed(other.test, await create(other.test));
    expect(await count('done_at IS NULL')).toBeGreaterThan(0);
    await admin.query('DELETE FROM sandbox_settlements WHERE transaction_id = $1', transaction);
  });

  test('looks at many companies without filling the queue for a connection', async () => {
    const { admin } = service.database;
    const process = await startService({
      database: service.database,
      settings: { DATABASE_POOL_SIZE: '2', DATABASE_QUEUE_LENGTH: '4' },
    });
    for (let number = 1; number <= 20; number += 1) await simulate(await service.addCompany());
    const ofSimulated = `environment_id IN (
      SELECT environment_id FROM bank_links WHERE bank_environment_id = -1 AND unlinked_at IS NULL)`;
    await admin.query(
      `UPDATE sandbox_settings SET planned_until = now() - interval '5 minutes' WHERE ${ofSimulated}`,
    );
    await until(
      'all are planned until now',
      async () =>
        (
          await admin.query(
            `SELECT FROM sandbox_settings WHERE planned_until < now() - interval '4 minutes' AND ${ofSimulated}`,
          )
        ).rowCount === 0,
    );
    await process.stop();
    expect(process.logLines.filter((line) => line.includes('settlements not attempted'))).toEqual([]);
  });

  test('has no credentials, no bank of its own and no link in production', async () => {
    const { admin } = service.database;
    const refused = (sql: string) => expect(admin.query(sql)).rejects;
    await refused(
      `INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, slot)
       VALUES ('k', -1, sha256('k'), 1, '{sandbox}', 1)`,
    ).toThrow('key_pairs_none_of_simulated_bank');
    await refused(
      `INSERT INTO bank_links (environment_id, bank_environment_id, kind)
       SELECT -1, min(environment_id), 'test' FROM environments WHERE kind = 'test' AND environment_id > 0`,
    ).toThrow('bank_links_none_of_simulated_bank');
    await refused(
      `INSERT INTO bank_links (environment_id, bank_environment_id, kind)
       SELECT min(environment_id), -1, 'production' FROM environments WHERE kind = 'production'`,
    ).toThrow('bank_links_bank_fkey');
    await expect(service.companies.find('Simulated bank')).rejects.toThrow('There is no company');
  });
});

test('a settlement with another amount right after the create leaves the planned one', async () => {
  const company = await service.addCompany();
  await simulate(company, { settle_after_seconds: 1 });
  const id = await create(company.test);
  await settle(company.test, id, { amount: '24.99' }).expect(200);
  await completed(company.test, id);
});

describe('settle', () => {
  let company: TestCompany;
  beforeAll(async () => {
    company = await service.addCompany();
    await simulate(company, { settle_after_seconds: 3_600 });
  });

  const outcomes = (response: { body: unknown }) =>
    (response.body as { attempts: { outcome: string }[] }).attempts.map(({ outcome }) => outcome);

  test('completes at once, with the evidence of the caller', async () => {
    const id = await create(company.test);
    const evidence = { amount: '25.00', bank_reference: 'FT-1', value_date: '2026-01-31' };
    expect(outcomes(await settle(company.test, id, evidence).expect(200))).toEqual(['completed']);
    expect(await read(company.test, id)).toMatchObject({
      status: 'completed',
      bank_reference: 'FT-1',
      value_date: '2026-01-31',
    });
  });

  test('with another amount changes nothing, and is recorded as a bank would cause it', async () => {
    const id = await create(company.test);
    expect(outcomes(await settle(company.test, id, { amount: '24.99' }).expect(200))).toEqual([
      'amount_mismatch',
    ]);
    expect(await read(company.test, id)).toMatchObject({ status: 'pending' });
    expect(await eventsOf(id)).toEqual([
      [
        'contribution.completion_refused',
        { amount_cents: 2_499, bank_reference: `SIM-${id}`, value_date: today() },
        'simulated_bank',
      ],
    ]);
  });

  test('repeats the completion, and records another reference as a difference', async () => {
    const id = await create(company.test);
    expect(outcomes(await settle(company.test, id, { times: 3 }).expect(200))).toEqual([
      'completed',
      'repeated',
      'repeated',
    ]);
    expect((await eventsOf(id)).map(([type]) => type)).toEqual(['contribution.completed']);
    await settle(company.test, id, { bank_reference: 'another' }).expect(200);
    expect((await eventsOf(id)).map(([type]) => type)).toEqual([
      'contribution.completed',
      'contribution.completion_repeated',
    ]);
  });

  test('with a delay completes after it', async () => {
    const id = await create(company.test);
    const response = await settle(company.test, id, { after_seconds: 1 }).expect(200);
    expect(outcomes(response)).toEqual(['scheduled']);
    expect(await read(company.test, id)).toMatchObject({ status: 'pending' });
    await completed(company.test, id);
  });

  test('completes once for many concurrent callers', async () => {
    const id = await create(company.test);
    const responses = await Promise.all(Array.from({ length: 10 }, () => settle(company.test, id)));
    expect(responses.flatMap(outcomes).sort()).toEqual(['completed', ...Array<string>(9).fill('repeated')]);
  });

  test('works for what was created while the simulated bank was linked, and for nothing else', async () => {
    const other = await service.addCompany();
    const before = await create(other.test);
    await simulate(other, { settle_after_seconds: 3_600 });
    const during = await create(other.test);
    await other.test.put(settings, { bank: 'none' }).expect(200);
    const after = await create(other.test);
    expect(outcomes(await settle(other.test, during).expect(200))).toEqual(['completed']);
    for (const id of [before, after]) {
      expect((await settle(other.test, id).expect(409)).body).toMatchObject({ code: 'sandbox_conflict' });
    }
  });

  test("finds no other company's contribution, also not that of a linked company", async () => {
    const id = await create(company.test);
    const stranger = await service.addCompany();
    await simulate(stranger);
    await settle(stranger.test, id).expect(404);
    await service.companies.linkBank('test', company.name, stranger.name);
    expect((await settle(stranger.test, id).expect(409)).body).toMatchObject({ code: 'sandbox_conflict' });
    await service.companies.unlinkBank('test', company.name, stranger.name);
    expect(await read(company.test, id)).toMatchObject({ status: 'pending' });
  });
});

describe('a magic amount', () => {
  let company: TestCompany;
  beforeAll(async () => {
    company = await service.addCompany();
    await simulate(company);
  });

  const attemptsOf = async (id: string) => {
    const { rows } = await service.database.admin.query<{ outcome: string | null }>(
      'SELECT outcome FROM sandbox_settlements WHERE transaction_id = $1 ORDER BY attempt',
      [id],
    );
    return rows.map(({ outcome }) => outcome);
  };
  const allDone = (id: string) =>
    until(`${id} has no attempt left`, async () => {
      const found = await attemptsOf(id);
      return found.length > 0 && !found.includes(null);
    });

  test.each([
    ['10.00', ['completed'], ['contribution.completed']],
    [
      '10.41',
      ['amount_mismatch', 'completed'],
      ['contribution.completion_refused', 'contribution.completed'],
    ],
    ['10.42', ['completed', 'repeated'], ['contribution.completed', 'contribution.completion_repeated']],
    ['10.43', ['never'], []],
    ['10.49', ['transaction_not_found', 'completed'], ['contribution.completed']],
  ])('of %s causes %j', async (amount, attempts, events) => {
    const id = await create(company.test, amount);
    await allDone(id);
    expect(await attemptsOf(id)).toEqual(attempts);
    expect((await eventsOf(id)).map(([type]) => type)).toEqual(events);
    const status = amount === '10.43' ? 'pending' : 'completed';
    expect(await read(company.test, id)).toMatchObject({ status, amount });
  });

  test('means nothing when the setting is off', async () => {
    const plain = await service.addCompany();
    await simulate(plain, { magic_amounts: false });
    const id = await create(plain.test, '10.43');
    await completed(plain.test, id);
  });
});
