import type { PoolClient } from 'pg';

import { isCitus } from '../support/citus/databases';
import { type Completions, createCompletions } from '../support/completions';
import { relayAll } from '../support/feed';
import { lockWaits } from '../support/lock-waits';
import { sendReturn } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/** Completions that arrive late, or while somebody takes the completion back. */
let service: TestService;
let company: TestCompany;
let bank: TestCompany;
let completions: Completions;

beforeEach(async () => {
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
  company = await service.addCompany();
  bank = await service.addCompany('Bank');
  completions = await createCompletions(service, company);
});

afterEach(async () => {
  try {
    await relayAll(service.database.admin);
    const report = await verificationOf(service.database.operatorUrl);
    expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  } finally {
    await service.stop();
  }
});

const correct = (id: string) =>
  company.test.post(`/company/integration/contributions/${id}/correction`, { reason: 'wrong' });
const netAmount = async (id: string): Promise<unknown> =>
  ((await completions.read(company.test, id).expect(200)).body as { net_amount: string }).net_amount;

/** Holds a transaction of another session open while `meanwhile` runs. */
async function beside(
  begin: (session: PoolClient) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const session = await service.database.admin.connect();
  try {
    await session.query('BEGIN');
    await begin(session);
    await meanwhile();
    await session.query('COMMIT');
  } finally {
    session.release();
  }
}

test.each([
  ['a return', (id: string) => sendReturn(company.test, id)],
  ['a correction', correct],
])(
  'the late repeat of a repeat that had another reference adds nothing after %s',
  async (_name, takeBack) => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    const repeat = { bank_reference: 'FT-2', value_date: '2026-11-28' };
    await completions.complete(company.test, id, repeat).expect(200);
    await takeBack(id).expect(201);
    const late = await completions.complete(company.test, id, repeat).expect(200);
    expect(late.body).toMatchObject({ net_amount: '0.00' });
    expect(await netAmount(id)).toBe('0.00');
    await completions.complete(company.test, id, { bank_reference: 'FT-3' }).expect(200);
    expect(await netAmount(id)).toBe('25.50');
  },
);

/** A correction, or a completion and its correction, that commits while a completion waits. */
async function completesBesideCorrection(id: string, isPending: boolean, reference: string) {
  let response: Promise<{ status: number; body: unknown }> | undefined;
  await beside(
    async (session) => {
      const { rows } = await session.query<{ owner: number; key: string }>(
        `SELECT t.environment_id AS owner, k.api_key AS key
           FROM transactions t JOIN key_pairs k USING (environment_id) WHERE t.transaction_id = $1`,
        [id],
      );
      const { owner, key } = rows[0]!;
      if (isPending)
        await session.query(
          `SELECT complete_contribution_of($1, $1, $3, $2, NULL, 'FT-1', NULL, gen_random_uuid())`,
          [owner, id, key],
        );
      await session.query(
        `SELECT correct_contribution_of($1, NULL, NULL, 'operator', $2, 'wrong', NULL, gen_random_uuid())`,
        [owner, id],
      );
    },
    async () => {
      response = Promise.resolve(completions.complete(company.test, id, { bank_reference: reference }));
      await until('the completion waits', async () =>
        (await lockWaits(service.database.admin)).some((query) => query.includes('complete_contribution')),
      );
    },
  );
  return response!;
}

test.each([
  ['a new reference', 'FT-2', '25.50'],
  ['the reference of that completion', 'FT-1', '0.00'],
])(
  'a completion with %s, beside one that is corrected at once, decides again',
  async (_name, reference, net) => {
    const id = await completions.create();
    expect((await completesBesideCorrection(id, true, reference)).status).toBe(200);
    expect(await netAmount(id)).toBe(net);
  },
);

test.each([
  ['a new reference', 'FT-2', '25.50'],
  ['the old reference', 'FT-1', '0.00'],
])('a repeat with %s beside a correction decides after it', async (_name, reference, net) => {
  const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
  expect((await completesBesideCorrection(id, false, reference)).status).toBe(200);
  expect(await netAmount(id)).toBe(net);
});

test('a bank gets no event from before it saw the contribution, also if the relay is late', async () => {
  const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
  await completions.link(bank);
  await beside(
    (session) => session.query('SELECT pg_advisory_xact_lock(1179010376, 1)'),
    async () => {
      await completions.complete(company.test, id, { bank_reference: 'FT-2' }).expect(200);
      await correct(id).expect(201);
      await completions.complete(bank.test, id).expect(200);
    },
  );
  await relayAll(service.database.admin);
  const { rows } = await service.database.admin.query<{ type: string }>(
    `SELECT f.type FROM feed_events f
      WHERE f.transaction_id = $1 AND f.environment_id <> f.owner_environment_id ORDER BY f.sequence`,
    [id],
  );
  expect(rows.map(({ type }) => type)).toEqual(['contribution.corrected', 'contribution.completed']);
});

// Citus rejects a session that corrects and then completes with another role's function.
(isCitus ? test.skip : test).each([['A-1'], [undefined]])(
  'a retry with the reference %s that waits while others complete and correct adds nothing',
  async (reference) => {
    const other = await service.addCompany();
    for (const each of [bank, other]) await completions.link(each);
    const id = await completions.create();
    const evidence = reference === undefined ? {} : { bank_reference: reference };
    await completions.complete(bank.test, id, evidence).expect(200);
    let response: Promise<unknown> | undefined;
    await beside(
      async (session) => {
        const { rows } = await session.query<{ owner: number; by: number; key: string }>(
          `SELECT t.environment_id AS owner, k.environment_id AS by, k.api_key AS key
             FROM transactions t, key_pairs k JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
            WHERE t.transaction_id = $1 AND c.name = $2 AND e.kind = 'test'`,
          [id, other.name],
        );
        const { owner, by, key } = rows[0]!;
        const correct = (reason: string) =>
          session.query(
            `SELECT correct_contribution_of($1, NULL, NULL, 'operator', $2, $3, NULL, gen_random_uuid())`,
            [owner, id, reason],
          );
        await correct('first');
        await session.query(
          `SELECT complete_contribution_of($1, $3, $4, $2, NULL, 'B-1', NULL, gen_random_uuid())`,
          [owner, id, by, key],
        );
        await correct('second');
      },
      async () => {
        response = Promise.resolve(completions.complete(bank.test, id, evidence));
        await until('the retry waits', async () =>
          (await lockWaits(service.database.admin)).some((query) => query.includes('complete_contribution')),
        );
      },
    );
    await response;
    expect(await netAmount(id)).toBe('0.00');
  },
);
