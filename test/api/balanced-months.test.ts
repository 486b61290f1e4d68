import fc from 'fast-check';

import { createOperatorDatabase } from '../../src/db/operator-database';
import { judgeDays } from '../../src/features/statements/account-days';
import type { AccountDayBody } from '../../src/features/statements/account-days.contract';
import { presentAccountDay } from '../../src/features/statements/account-days.presenter';
import { createAccountDaysStore, type DaysPage } from '../../src/features/statements/account-days.store';
import { readDays, uploadAll } from '../support/balanced-days';
import { randomCases } from '../support/full-run';
import { type Line, statementFile, type StatementForm } from '../support/statement-files';
import { setUpStatements } from '../support/statement-setup';

/** Months with true balances, and what statements of several days tell. */
const setup = setUpStatements();

/** The lines of a day: amounts in cents, negative for debits. */
type Month = readonly (readonly { cents: number; charges: number; hasReference: boolean }[])[];

const line = fc.record({
  cents: fc.integer({ min: -500_00, max: 500_00 }).filter((cents) => cents !== 0),
  charges: fc.constantFrom(0, 0, 1_00),
  hasReference: fc.boolean(),
});
const day = fc.oneof(
  fc.array(line, { maxLength: 5 }),
  // Money that comes and goes on the same day, as in an account that is swept.
  line.map((one) => [one, { ...one, cents: -one.cents, charges: 0 }]),
);
const months: fc.Arbitrary<Month> = fc.array(day, { minLength: 28, maxLength: 31 });

const dateOf = (at: number): string => `2026-10-${String(at + 1).padStart(2, '0')}`;

/**
 * The lines of a day as the bank writes them. The first credit of every second day pays a
 * contribution of 25.50 dollars, minus the charges of the bank.
 */
function linesOf(given: Month[number], at: number, id: string): Line[] {
  let isPaid = at % 2 === 0;
  return given.map(({ cents, charges, hasReference }, place): Line => {
    const text = `Line ${at} ${place}`;
    const own: Line = {
      ...{
        cents: BigInt(Math.abs(cents)),
        direction: cents < 0 ? 'debit' : 'credit',
        date: dateOf(at),
        text,
      },
      ...(hasReference ? { reference: `BANK-${at}-${place}` } : {}),
      ...(charges > 0 ? { chargesCents: BigInt(charges) } : {}),
    };
    if (cents < 0 || isPaid) return own;
    isPaid = true;
    return { ...own, id, cents: 25_50n - BigInt(charges) };
  });
}

const signed = ({ cents, direction }: Line): bigint => (direction === 'debit' ? -cents : cents);
const sumOf = (lines: readonly Line[]): bigint => lines.reduce((sum, one) => sum + signed(one), 0n);

/** One message with all of these statements. */
function inOneFile(files: readonly string[]): string {
  const statements = files.map((text) => /<Stmt>[\s\S]*<\/Stmt>/.exec(text)?.[0] ?? '');
  return (files[0] ?? '').replace(/<Stmt>[\s\S]*<\/Stmt>/, () => statements.join(''));
}

test('a month with true balances is balanced on every day, from daily and from monthly statements', async () => {
  await fc.assert(
    fc.asyncProperty(months, fc.boolean(), fc.boolean(), async (month, isNumbered, hasMonthly) => {
      await setup.renewCompany();
      const ids = await Promise.all(month.map(() => setup.contributions.createCompleted()));
      const days = month.map((given, at) => linesOf(given, at, ids[at] ?? ''));
      let openingCents = 1_000_000_00n;
      const start = openingCents;
      const daily = days.map((lines, at) => {
        const form: StatementForm = {
          from: dateOf(at),
          openingCents,
          ...(isNumbered ? { sequence: at + 1 } : {}),
        };
        openingCents += sumOf(lines);
        return statementFile(lines, form);
      });
      const last = dateOf(days.length - 1);
      const monthly = statementFile(days.flat(), { from: dateOf(0), to: last, openingCents: start });
      const files = hasMonthly ? [monthly, inOneFile(daily)] : [inOneFile(daily)];
      const accountId = await uploadAll(setup.company.test, files);
      const read = await readDays(setup.company.test, accountId, dateOf(0), '2026-11-01');
      const told = read.slice(0, days.length);
      expect(told.filter(({ state }) => state !== 'balanced')).toEqual([]);
      expect(told.at(-1)?.closing_balance).toBe((Number(openingCents) / 100).toFixed(2));
    }),
    { numRuns: randomCases(20) },
  );
}, 240_000);

const rent = (cents: bigint, date: string): Line => ({
  cents,
  date,
  reference: `RENT-${date}`,
  text: 'rent',
});

test('a statement of several days tells the balances of each day, up to its receipt', async () => {
  const lines = [rent(10_00n, '2026-10-05'), rent(5_00n, '2026-10-06')];
  const file = statementFile(lines, { from: '2026-10-04', to: '2026-10-07', openingCents: 100_00n });
  const accountId = await uploadAll(setup.company.test, [file]);
  const read = await readDays(setup.company.test, accountId, '2026-10-04', '2026-10-08');
  expect(read.map(({ opening_balance: opening, closing_balance: closing }) => [opening, closing])).toEqual([
    ['100.00', '100.00'],
    ['100.00', '110.00'],
    ['110.00', '115.00'],
    ['115.00', '115.00'],
  ]);
  expect(new Set(read.map(({ state }) => state))).toEqual(new Set(['balanced']));
});

test('a statement of several days with a wrong total tells the balances of no single day', async () => {
  const form = { from: '2026-10-04', to: '2026-10-05', openingCents: 100_00n, closingCents: 1_00n };
  const accountId = await uploadAll(setup.company.test, [statementFile([rent(1n, '2026-10-04')], form)]);
  const [first] = await readDays(setup.company.test, accountId, '2026-10-04', '2026-10-05');
  expect(first).toMatchObject({
    ...{ opening_balance: '100.00', closing_balance: null, movement: null, difference: null },
    ...{ state: 'not_checked', reason: 'The statement tells only the balances of its whole period.' },
  });
});

test('several statements tell one day: the first its opening balance, the last its closing balance', async () => {
  const numbered = [1, 2, 3].map((sequence) =>
    statementFile([{ ...rent(10_00n, '2026-10-05'), reference: `PART-${sequence}` }], {
      ...{ from: '2026-10-05', sequence, openingCents: BigInt(sequence) * 10_00n },
    }),
  );
  const accountId = await uploadAll(setup.company.test, [numbered[2]!, numbered[0]!]);
  const judge = async () => (await readDays(setup.company.test, accountId, '2026-10-05', '2026-10-06'))[0];
  expect(await judge()).toMatchObject({ movement: '30.00', counted_amount: '20.00', difference: '-10.00' });
  await uploadAll(setup.company.test, [numbered[1]!]);
  expect(await judge()).toMatchObject({
    opening_balance: '10.00',
    closing_balance: '40.00',
    state: 'balanced',
  });
});

test('an entry counts on the day of its statement, even if it is dated on another day', async () => {
  const lines = [rent(10_00n, '2026-10-04'), rent(5_00n, '2026-10-05')];
  const form = { from: '2026-10-05', sequence: 5, openingCents: 0n };
  const accountId = await uploadAll(setup.company.test, [statementFile(lines, form)]);
  const read = await readDays(setup.company.test, accountId, '2026-10-04', '2026-10-06');
  expect(read).toMatchObject([
    { counted_amount: '0.00', state: 'not_checked' },
    { movement: '15.00', counted_amount: '15.00', state: 'balanced' },
  ]);
});

test('days with many entries come in several pages, which add up to the whole', async () => {
  const daily = [1, 2, 3, 4].map((at) =>
    statementFile([rent(10_00n, dateOf(at)), rent(5_00n, `2026-10-1${at}`)], {
      ...{ from: dateOf(at), openingCents: BigInt(at) * 15_00n },
    }),
  );
  const weekly = statementFile([], { from: dateOf(2), to: dateOf(3), openingCents: 45_00n });
  const accountId = await uploadAll(setup.company.test, [...daily, weekly]);
  const { environments } = await setup.service.companies.find(setup.company.name);
  const range = { from: '2026-10-01', to: '2026-10-08' };
  const whole = await readDays(setup.company.test, accountId, range.from, range.to);
  const database = createOperatorDatabase(setup.service.database.url);
  for (const most of [1, 2, 5]) {
    const store = createAccountDaysStore(database, most);
    const pages: AccountDayBody[][] = [];
    for (let from: string | null = range.from; from !== null;) {
      const page: DaysPage | undefined = await store.read(environments.test, accountId, { ...range, from });
      pages.push(judgeDays(page!).map(presentAccountDay));
      from = page!.next;
    }
    expect(pages.flat()).toEqual(whole);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every((page) => page.length > 0)).toBe(true);
  }
  await database.close();
});
