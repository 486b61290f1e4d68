import { type CsvMapping, readStatementFile, type StatementFile } from '@contribution-service/bank-files';
import fc from 'fast-check';

import { bai2Of } from '../../../packages/sdk/src/command/statement-formats/bai2.js';
import { camtOf } from '../../../packages/sdk/src/command/statement-formats/camt.js';
import { csvMapping, csvOf, settlementsOf } from '../../../packages/sdk/src/command/statement-formats/csv.js';
import {
  amountOf,
  type BookedTransfer,
  entriesOf,
  type Entry,
  jointReference,
  statementDays,
} from '../../../packages/sdk/src/command/statement-formats/entry.js';
import { nachaOf } from '../../../packages/sdk/src/command/statement-formats/nacha.js';
import { composeTransactionId } from '../../../src/shared/transaction-id';

/** The service reads the same entries in each format that the simulated bank writes. */
const now = '2026-11-25T22:10:00.000Z';
const mapping = { date_format: 'YYYY-MM-DD', decimal: '.', delimiter: ',', ...csvMapping } as CsvMapping;

// Some numbers have no id.
const ids = Array.from({ length: 100 }, (_, each) =>
  composeTransactionId('K7Q2', new Date('2026-11-01T08:00:00Z'), each),
).filter((id) => id !== undefined);

const read = (content: string): StatementFile => readStatementFile(Buffer.from(content), mapping);

const transfer = fc.record({
  number: fc.nat(99),
  cents: fc.bigInt(1n, 100_000_000_000n),
  day: fc.integer({ min: 1, max: 25 }),
  kind: fc.constantFrom('single', 'joint', 'return'),
});
type Drawn = typeof transfer extends fc.Arbitrary<infer Value> ? Value : never;

function transferOf({ number, cents, day, kind }: Drawn, at: number): BookedTransfer {
  const date = `2026-11-${String(day).padStart(2, '0')}`;
  const joint = jointReference(new Date(`${date}T10:00:00Z`));
  return {
    transaction_id: ids[number % ids.length] ?? '',
    bank_reference: kind === 'joint' ? joint : `BANK-${at}`,
    amount: amountOf(cents),
    value_date: date,
    booked_at: `${date}T12:00:00.000Z`,
    ...(kind === 'return' && { return_code: 'R01' }),
  };
}

const factsOf = (file: StatementFile): unknown[] =>
  file.statements.flatMap(({ entries }) =>
    [...entries].map((entry) => ({
      direction: entry.direction,
      cents: entry.amountCents,
      date: entry.bookingDate,
      reference: entry.bankReference,
      id: entry.identifiers.find((text) => text !== entry.bankReference),
      unreadable: entry.unreadable,
      currency: entry.currency,
      isBooked: entry.isBooked,
    })),
  );

const expectedOf = (entries: readonly Entry[]): unknown[] =>
  entries.map((entry) => ({
    direction: entry.is_return ? 'debit' : 'credit',
    cents: entry.cents,
    date: entry.booking_date,
    reference: entry.bank_reference,
    id: entry.transaction_id,
    unreadable: null,
    currency: 'USD',
    isBooked: true,
  }));

const inOrder = (facts: readonly unknown[]): string[] =>
  facts
    .map((fact) =>
      JSON.stringify(fact, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    )
    .sort();

const drawn = fc.array(transfer, { maxLength: 30 }).map((all) => {
  const transfers = all.map(transferOf);
  // The account of a bank is never overdrawn by what it collects.
  const paid = transfers.filter(({ return_code: code }) => code === undefined);
  const funds = { ...transferOf({ number: 0, cents: 10n ** 13n, day: 1, kind: 'single' }, 999) };
  return entriesOf([funds, ...paid, ...transfers.filter((each) => !paid.includes(each))]);
});

test.each<[string, (entries: readonly Entry[]) => string, 'balanced' | 'not_checked']>([
  ['camt.052', (entries) => camtOf('052', entries, { now }), 'not_checked'],
  ['camt.053', (entries) => camtOf('053', entries, { now }), 'balanced'],
  ['camt.054', (entries) => camtOf('054', entries, { now }), 'not_checked'],
  ['bai2', (entries) => bai2Of(entries, now), 'balanced'],
  ['csv', csvOf, 'not_checked'],
])('%s: every entry is read as it was written', (format, write, balance) => {
  fc.assert(
    fc.property(drawn, (entries) => {
      const file = read(write(entries));
      expect([file.format, file.problems]).toEqual([format, []]);
      expect(inOrder(factsOf(file))).toEqual(inOrder(expectedOf(entries)));
      for (const statement of file.statements) expect(statement.balance).toBe(balance);
    }),
  );
});

test('each day opens with the closing balance of the day before, also without entries', () => {
  fc.assert(
    fc.property(drawn, (entries) => {
      const days = statementDays(entries, '2026-11-25', '2026-11-01');
      const dates = Array.from({ length: 25 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`);
      expect(days.map(({ day }) => day)).toEqual(dates);
      const closings = days.map(({ closing }) => closing);
      expect(days.map(({ opening }) => opening)).toEqual([0n, ...closings.slice(0, -1)]);
      const statements = read(camtOf('053', entries, { now, from: '2026-11-01' })).statements;
      expect([statements.length, days.flatMap(({ entries: all }) => all).length]).toEqual([
        25,
        entries.length,
      ]);
    }),
  );
});

test('nacha: every return is read as it was written, and nothing else', () => {
  fc.assert(
    fc.property(drawn, (entries) => {
      const file = read(nachaOf(entries, now));
      const returns = entries.filter(({ is_return: isReturn, cents }) => isReturn && cents <= 9_999_999_999n);
      expect([file.format, file.problems]).toEqual(['nacha', []]);
      const facts = file.statements.flatMap(({ entries: all }) =>
        [...all].map(({ amountCents, direction, bookingDate, identifiers, returnCode, unreadable }) => [
          ...[amountCents, direction, bookingDate, identifiers[0], returnCode, unreadable],
        ]),
      );
      const expected = returns.map(({ cents, booking_date: date, transaction_id: id }) => [
        ...[cents, 'debit', date, id, 'R01', null],
      ]);
      expect(inOrder(facts)).toEqual(inOrder(expected));
      const lines = nachaOf(entries, now).slice(0, -1).split('\n');
      expect([lines.length % 10, new Set(lines.map(({ length }) => length))]).toEqual([0, new Set([94])]);
    }),
  );
});

test('settlement lists are split where one upload ends, and lose no line', () => {
  const joint = (list: number, lines: number): Entry => ({
    ...{ bank_reference: `LIST-${list}`, transaction_id: undefined, cents: BigInt(lines), is_return: false },
    ...{ booking_date: '2026-11-25', value_date: '2026-11-25' },
    transfers: Array.from({ length: lines }, (_, at) => transferOf(drawnLine(at), at)),
  });
  const drawnLine = (at: number): Drawn => ({ number: at % 100, cents: 1n, day: 1, kind: 'joint' });
  const sizes = (entries: Entry[]): number[] =>
    settlementsOf(entries).map((content) => content.trimEnd().split('\n').length);
  expect(sizes(Array.from({ length: 1_201 }, (_, list) => joint(list, 1)))).toEqual([501, 501, 202]);
  expect(sizes([joint(1, 5_000), joint(2, 4_999), joint(3, 1)])).toEqual([10_000, 2]);
  expect(sizes([])).toEqual([]);
});
