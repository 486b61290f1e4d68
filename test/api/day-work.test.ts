import pino from 'pino';

import { DatabaseFailure } from '../../src/db/errors';
import { type DayWork, startDayWork } from '../../src/features/bank-statements/days/day-work';
import { startFollowing } from '../../src/features/bank-statements/days/follow-changes';
import {
  createLaterChangesStore,
  type LaterChangesStore,
} from '../../src/features/bank-statements/days/later-changes.store';
import { environmentOf } from '../support/environment';
import { relayAll } from '../support/feed';
import { addStatementAccount } from '../support/statement-accounts';
import { statementFile, statementsPath } from '../support/statement-files';
import { setUpStatements } from '../support/statement-setup';
import { dependenciesOf, StoredDays } from '../support/stored-days';
import { until } from '../support/until';

/** The work of days in the background, with contributions of the service. */
// The service does no work of its own.
const setup = setUpStatements({ pollMs: 3_600_000 });
const amount = 25_50n;
const day = '2026-11-20';

let work: DayWork;
let following: Pick<DayWork, 'wake' | 'stop'>;
let changes: LaterChangesStore;
const logged: string[] = [];
const logger = pino({}, { write: (line: string) => logged.push(line) });
/** Makes the comparison of the environments in it fail. */
const failures = new Map<number, Error>();

beforeAll(() => {
  const { database } = setup.service.container;
  const dependencies = dependenciesOf(database);
  changes = createLaterChangesStore(database);
  const { lines } = dependencies;
  const failing: typeof lines = {
    ...lines,
    linesIn(of, buckets) {
      const failure = failures.get(of.environmentId);
      return failure ? Promise.reject(failure) : lines.linesIn(of, buckets);
    },
  };
  work = startDayWork({ ...dependencies, lines: failing }, logger, 50);
  following = startFollowing({ changes, days: dependencies.days }, logger, work.wake, 50);
});
afterAll(() => Promise.all([work.stop(), following.stop()]));

async function newAccount({ name } = setup.company) {
  const { database, container } = setup.service;
  const environmentId = await environmentOf(database.admin, name);
  const account = await addStatementAccount(database.admin, environmentId);
  await changes.start(environmentId);
  const known = { tags: new Set<string>(), contributions: new Map(), settlements: new Map() };
  const noReturns = { returns: new Set<string>(), reset: { ids: new Set(), references: new Set() } };
  return new StoredDays(database.admin, container.database, account, { ...known, ...noReturns } as never);
}

/** Whether all changes are followed, and all days compared. */
async function isDone(account: StoredDays): Promise<boolean> {
  const { admin } = setup.service.database;
  await relayAll(admin);
  const { rows } = await admin.query(
    `SELECT FROM comparing_progress p LEFT JOIN feeds f USING (environment_id)
      WHERE environment_id = $1 AND (p.sequence < f.last_sequence OR p.claimed_until > now())`,
    [account.account.environmentId],
  );
  const changed = await changes.changed(1_000);
  return rows.length === 0 && changed.length === 0 && (await account.daysWithWork()).length === 0;
}
const outcomesOf = async (account: StoredDays): Promise<string[]> => {
  work.wake();
  following.wake();
  await until('all days are compared', () => isDone(account));
  return (await account.seen()).lines
    .map(({ outcome, reason }) => `${outcome} ${reason ?? ''}`.trim())
    .sort();
};

const transfer = (reference: string, count: bigint) => ({
  ...{ cents: count * amount, id: reference, reference: `R-${reference}`, date: day },
});
const complete = (id: string, reference: string) =>
  setup.contributions.complete(setup.company.test, id, { bank_reference: reference }).expect(200);

test('lines are compared with contributions, and again after completions under their reference', async () => {
  const ids = [await setup.contributions.create(), await setup.contributions.create()];
  const account = await newAccount();
  const named = { cents: amount, id: ids[0]!, reference: 'R-1', date: day };
  await account.upload(statementFile([transfer('FT-1', 2n), named], { from: day, openingCents: 0n }));
  expect(await outcomesOf(account)).toEqual(['matched', 'unknown no_reference']);
  await complete(ids[0]!, 'FT-1');
  expect(await outcomesOf(account)).toEqual(['matched', 'unknown settlement_differs']);
  await complete(ids[1]!, 'FT-1');
  expect(await outcomesOf(account)).toEqual(['matched', 'matched']);
  const { money } = await account.seen();
  expect(money.map(({ id, paid }) => [id, paid])).toEqual(
    [...ids].sort().map((id) => [id, id === ids[0] ? '5100' : '2550']),
  );
});

test('a later settlement list, and a bank that is linked later, queue the lines', async () => {
  const ids = [await setup.contributions.create(), await setup.contributions.create()];
  const bank = await setup.service.addCompany();
  const [own, ofBank] = [await newAccount(), await newAccount(bank)];
  const file = statementFile([transfer('FT-2', 2n)], { from: day, openingCents: 0n });
  const named = statementFile([{ cents: amount, id: ids[0]!, date: day }], { from: day, openingCents: 0n });
  await own.upload(file);
  await ofBank.upload(named);
  expect(await outcomesOf(own)).toEqual(['unknown no_reference']);
  expect(await outcomesOf(ofBank)).toEqual(['unknown not_found']);
  await setup.company.test
    .post(`${statementsPath}/settlements`)
    .set('Content-Type', 'application/x-ndjson')
    .send(
      ids.map((id) => JSON.stringify({ reference: 'FT-2', transaction_id: id, amount: '25.50' })).join('\n'),
    )
    .expect(200);
  await setup.contributions.link(bank);
  expect(await outcomesOf(own)).toEqual(['matched']);
  expect(await outcomesOf(ofBank)).toEqual(['matched']);
});

test('a day that fails waits longer each time, says why without the message, and nobody waits for it', async () => {
  const failing = await newAccount();
  const { environmentId } = failing.account;
  failures.set(environmentId, new TypeError('quotes Jane Doe'));
  await failing.upload(statementFile([transfer('FT-3', 1n)], { from: day, openingCents: 0n }));
  const stateOf = async () => {
    const { rows } = await setup.service.database.admin.query<{
      failures: number;
      failure: string;
      wait: number;
    }>(
      `SELECT failures, failure, extract(epoch FROM claimed_until - now())::integer AS wait FROM account_days
        WHERE environment_id = $1`,
      [environmentId],
    );
    return rows[0]!;
  };
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    work.wake();
    await until('the attempt has failed', async () => (await stateOf()).failures === attempt);
    const { failure, wait } = await stateOf();
    expect(failure).toBe('TypeError');
    waits.push(wait);
    await setup.service.database.admin.query(
      `UPDATE account_days SET claimed_until = now() - interval '1 second' WHERE environment_id = $1`,
      [environmentId],
    );
  }
  expect(waits.map((wait) => Math.round(wait / 60))).toEqual([1, 10, 60]);
  await setup.renewCompany();
  const other = await newAccount();
  await other.upload(statementFile([transfer('FT-3', 1n)], { from: day, openingCents: 0n }));
  expect(await outcomesOf(other)).toEqual(['unknown no_reference']);
  expect(logged.join('')).toContain('day of an account not compared');
  expect(logged.join('')).not.toContain('Jane');
  failures.delete(environmentId);
  await setup.service.database.admin.query(
    `UPDATE account_days SET claimed_until = now() - interval '1 second' WHERE environment_id = $1`,
    [environmentId],
  );
  expect(await outcomesOf(failing)).toEqual(['unknown no_reference']);
  expect(await stateOf()).toMatchObject({ failures: 0, failure: null });
});

test('a failure of the database is no failure of the day', async () => {
  const account = await newAccount();
  const { environmentId } = account.account;
  failures.set(environmentId, new DatabaseFailure('unavailable', 'nothing', new Error('gone')));
  await account.upload(statementFile([transfer('FT-4', 1n)], { from: day, openingCents: 0n }));
  const before = logged.length;
  work.wake();
  await until('the attempt has failed', () => Promise.resolve(logged.length > before));
  failures.delete(environmentId);
  const { rows } = await setup.service.database.admin.query(
    `UPDATE account_days SET claimed_until = now() - interval '1 second' WHERE environment_id = $1 RETURNING failures`,
    [environmentId],
  );
  expect(rows).toEqual([{ failures: 0 }]);
  expect(await outcomesOf(account)).toEqual(['unknown no_reference']);
});
