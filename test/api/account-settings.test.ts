import { randomUUID } from 'node:crypto';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createAccountNumbersStore } from '../../src/features/bank-statements/accounts/account-numbers.store';
import { createAccountsStore } from '../../src/features/bank-statements/accounts/accounts.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { ids } from '../unit/bank-statements/bank-months';

let database: TestDatabase;
let pool: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createOperatorDatabase(database.url);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const day = '2026-11-20';
const [id = ''] = ids;
const gift: Line = { cents: 25_50n, id, reference: 'REF-0001', date: day };
const rent: Line = { cents: 7_00n, text: 'rent', reference: 'REF-0002', date: day };
const november = { from: '2026-11-01', to: '2026-11-30', openingCents: 100_00n };

async function withLines(): Promise<DecidedAccount> {
  const account = await createDecidedAccount(database.admin, pool);
  await account.stored.upload(statementFile([gift, rent], november));
  await account.stored.work();
  return account;
}

const turn = ({ environmentId, accountId }: DecidedAccount, direction?: 'credit' | 'debit') =>
  createAccountsStore(pool).set(environmentId, accountId, {
    ...{ completeCoverage: true, graceDays: 3, direction },
  });

describe('the direction of an account', () => {
  test('turns payments into returns', async () => {
    const account = await withLines();
    expect(await turn(account, 'credit')).toBe('set');
    expect(await account.stored.daysWithWork()).toEqual([]);
    expect(await turn(account, 'debit')).toBe('set');
    await account.stored.work();
    expect((await account.stored.seen()).money).toMatchObject([{ paid: '0', returned: '2550' }]);
  });

  test('stays while a closed month has lines, so its numbers stay', async () => {
    const account = await withLines();
    const given = { reason: 'all is booked' };
    expect((await account.months.close(account.principal, '2026-11', given)).outcome).toBe('closed');
    expect(await turn(account, 'debit')).toBe('month_closed');
    expect(await turn(account)).toBe('set');
    expect(await account.stored.daysWithWork()).toEqual([]);
    await account.months.reopen(account.principal, '2026-11', given);
    expect(await turn(account, 'debit')).toBe('set');
  });

  test('stays while an entry is linked, so that no charge is negative', async () => {
    const account = await withLines();
    const [entryId = ''] = await account.linesOf(7_00n);
    await account.decide(
      entryId,
      'link',
      [[id, 8_00n]].map(([one, cents]) => [one as string, cents as bigint]),
    );
    expect(await turn(account, 'debit')).toBe('has_links');
    await account.decide(entryId, 'undo');
    expect(await turn(account, 'debit')).toBe('set');
  });

  test('turns before a month is closed or stays', async () => {
    for (let round = 0; round < 4; round += 1) {
      const account = await withLines();
      const [closed, turned] = await Promise.all([
        account.months.close(account.principal, '2026-11', { reason: 'r' }),
        turn(account, 'debit'),
      ]);
      const isClosed = closed.outcome === 'closed';
      expect(turned).toBe(isClosed ? 'month_closed' : 'set');
    }
  });
});

test('a further number is removed while no statement came since it was added', async () => {
  const account = await withLines();
  const { environmentId, accountId } = account;
  const otherId = randomUUID();
  await database.admin.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction) VALUES ($1, $2, $3, 'credit')`,
    [environmentId, otherId, Buffer.from(otherId)],
  );
  const numbers = createAccountNumbersStore(pool);
  const remove = () => numbers.remove(environmentId, accountId, otherId);
  const upload = async (fileId: string, state: string) =>
    database.admin.query(
      `INSERT INTO statement_uploads
         (environment_id, upload_id, state, options_hmac, pepper_version, sha256, byte_count, chunk_count,
          next_attempt_at, ended_at, format, version, problems, statement_count)
       VALUES ($1, $2, $3, '\\x00', 1, $4, 1, 1, now(), CASE WHEN $3 = 'read' THEN clock_timestamp() END,
               'camt.053', '8', '[]', CASE WHEN $3 = 'read' THEN 1 END)`,
      [environmentId, fileId, state, Buffer.from(fileId)],
    );
  await upload(await account.stored.upload(statementFile([rent], november)), 'read');
  expect(await remove()).toBe('same');
  const given = { reason: 'r', decidedBy: 'k' };
  expect(await numbers.add(environmentId, { accountId, otherId }, given)).toBe('added');
  const later = await account.stored.upload(statementFile([], november));
  await upload(later, 'read');
  expect(await remove()).toBe('has_statements');
  await account.stored.void(later);
  const open = randomUUID();
  await upload(open, 'received');
  expect(await remove()).toBe('upload_in_progress');
  await database.admin.query('DELETE FROM statement_uploads WHERE upload_id = $1', [open]);
  const outcomes = await Promise.all([remove(), remove()]);
  expect(outcomes.sort()).toEqual(['removed', 'same']);
  expect(await numbers.accountOf(environmentId, otherId)).toBeUndefined();
  expect(await numbers.remove(environmentId, accountId, randomUUID())).toBe('no_account');
  expect(await numbers.remove(environmentId, randomUUID(), otherId)).toBe('same');
});

test('an account remembers an answer no longer, although no answer is left to undo', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  for (const cents of [8_00n, 9_00n])
    await account.stored.upload(statementFile([{ ...rent, cents }], { from: day }));
  await account.stored.work();
  const { answers, principal, accountId } = account;
  const question = async () => (await account.days()).find((one) => one.day === day)?.question ?? null;
  const among = (await question())?.versions ?? [];
  const answer = (given: Parameters<typeof answers.answer>[2]) =>
    answers.answer(principal, { accountId, day }, given);
  expect(await answer({ kind: 'all_lines', among, reason: 'r', remember: 'all_lines' })).toBe('answered');
  expect(await answer({ kind: 'undo', reason: 'wrong' })).toBe('answered');
  // The account still remembers it, so nobody is asked.
  expect(await question()).toBeNull();
  expect(await answer({ kind: 'undo', reason: 'wrong too', remember: 'nothing' })).toBe('answered');
  expect(await question()).not.toBeNull();
});
