import { PackedList, type StatementEntry } from '@contribution-service/bank-files';

import { timeOf } from '../../../src/features/statements/matching/statement-time';
import { wholeDaysOf } from '../../../src/features/statements/matching/whole-days';

/** The days that a statement covers, from the period as the bank writes it. */
function daysOf(from: string, to: string): string | undefined {
  const statement = {
    kind: 'final' as const,
    period: { from, to },
    sequence: null,
    entries: new PackedList<StatementEntry>(),
  };
  const { periodFrom, startsAtMs, endsAtMs } = timeOf(statement);
  const days = wholeDaysOf({ from: periodFrom ?? '', startsAtMs, endsAtMs });
  return days && `${days.from} ${days.to}`;
}

test.each([
  ['2026-11-25', '2026-12-01', '2026-11-25 2026-12-01'],
  ['2026-11-25', '2026-11-25', '2026-11-25 2026-11-25'],
  ['2026-11-25T00:00:00', '2026-12-01T23:59:59', '2026-11-25 2026-12-01'],
  ['2026-11-25T00:00:00Z', '2026-12-02T00:00:00Z', '2026-11-25 2026-12-01'],
  ['2026-11-25T00:00:00-05:00', '2026-12-01T23:59:00-05:00', '2026-11-25 2026-12-01'],
  ['2026-11-25T00:00:00-08:00', '2026-12-02T00:00:00-08:00', '2026-11-25 2026-12-01'],
  ['2026-11-25T00:00:00+01:00', '2026-12-01T23:59:59+01:00', '2026-11-25 2026-12-01'],
  // The clocks change on November 1 and March 8.
  ['2026-10-30T00:00:00-04:00', '2026-11-03T23:59:59-05:00', '2026-10-30 2026-11-03'],
  ['2026-03-06T00:00:00-05:00', '2026-03-10T23:59:59-04:00', '2026-03-06 2026-03-10'],
])('from %s to %s covers %s', (from, to, days) => {
  expect(daysOf(from, to)).toBe(days);
});

test.each([
  ['ends in the morning', '2026-11-25T00:00:00-05:00', '2026-12-01T09:00:00-05:00', '2026-11-25 2026-11-30'],
  [
    'starts in the afternoon',
    '2026-11-25T15:00:00-05:00',
    '2026-12-01T23:59:59-05:00',
    '2026-11-26 2026-12-01',
  ],
  [
    'has the days of New York in UTC',
    '2026-11-25T05:00:00Z',
    '2026-12-02T04:59:59Z',
    '2026-11-25 2026-12-01',
  ],
  ['has two halves of days', '2026-11-25T12:00:00-05:00', '2026-11-26T12:00:00-05:00', undefined],
])('a statement that %s covers only whole days', (_what, from, to, days) => {
  expect(daysOf(from, to)).toBe(days);
});

test('a statement with entries of other days only covers no day', () => {
  const entry = { bookingDate: '2026-11-25', isBooked: true } as StatementEntry;
  const period = { from: '2026-11-01', to: '2026-11-20' };
  const of = (...bookingDates: string[]) =>
    timeOf({
      kind: 'final',
      period,
      sequence: null,
      entries: new PackedList(bookingDates.map((bookingDate) => ({ ...entry, bookingDate }))),
    });
  expect(of('2026-11-25')).toMatchObject({ periodFrom: null, isKnown: false, otherDates: 'wrong' });
  expect(of('2026-11-25', '2026-11-20')).toMatchObject({ periodFrom: '2026-11-01', isKnown: false });
  expect(of('2026-11-20')).toMatchObject({ periodFrom: '2026-11-01', isKnown: true, otherDates: 'none' });
});

test.each([
  ['2026-11-21', '2026-11-20'],
  ['2026-11-20T12:00:00', '2026-11-20T06:00:00'],
])('a period from %s to %s is reversed, so its time is not known', (from, to) => {
  for (const sequence of [null, 7n]) {
    const period = { from, to };
    expect(timeOf({ kind: 'final', period, sequence, entries: new PackedList() })).toMatchObject({
      isKnown: false,
    });
  }
});
