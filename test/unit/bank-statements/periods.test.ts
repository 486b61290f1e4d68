import { periodOf } from '../../../src/features/bank-statements/rules/reading/period';

const stated = (from: string, to: string, lineDays: string[] = []) =>
  periodOf({ period: { from, to }, balances: [], madeAt: null }, lineDays);
const hour = 3_600_000;

test.each([
  ['2026-11-20', '2026-11-20', '2026-11-20', '2026-11-20'],
  ['2026-11-01', '2026-11-30', '2026-11-01', '2026-11-30'],
  ['2026-11-20T00:00:00', '2026-11-20T23:59:59', '2026-11-20', '2026-11-20'],
  ['2026-11-20T00:00:00', '2026-11-21T00:00:00', '2026-11-20', '2026-11-20'],
  ['2026-11-20T05:00:00Z', '2026-11-21T05:00:00Z', '2026-11-20', '2026-11-20'],
  ['2026-11-19T23:00:00Z', '2026-11-20T22:59:59Z', '2026-11-20', '2026-11-20'],
  ['2026-11-01T05:00:00Z', '2026-12-01T04:59:59Z', '2026-11-01', '2026-11-30'],
])('the period from %s to %s is whole days', (from, to, first, last) => {
  expect(stated(from, to)).toMatchObject({ from: first, to: last, startMs: 0, endMs: 24 * hour });
});

test('a shorter period is a part of a day', () => {
  const morning = { from: '2026-11-20', startMs: 8 * hour, endMs: 12 * hour };
  expect(stated('2026-11-20T08:00:00', '2026-11-20T12:00:00')).toMatchObject(morning);
});

test('the only date of its lines says which day a part of a day belongs to', () => {
  const evening = stated('2026-11-21T00:00:00Z', '2026-11-21T05:00:00Z', ['2026-11-20']);
  expect(evening).toMatchObject({ from: '2026-11-20', startMs: 24 * hour, endMs: 29 * hour });
});

test('without a period, the days of the balances count, otherwise those of the lines', () => {
  const balances = [
    { isOpening: true, day: '2026-11-18', cents: 0n },
    { isOpening: false, day: '2026-11-20', cents: 0n },
  ];
  const given = { period: null, madeAt: '2026-11-22T00:00:00Z' };
  const lineDays = ['2026-11-19'];
  expect(periodOf({ ...given, balances }, lineDays)).toMatchObject({
    ...{ from: '2026-11-18', to: '2026-11-20', isPeriodStated: true },
  });
  expect(periodOf({ ...given, balances: [] }, lineDays)).toMatchObject({
    ...{ from: '2026-11-19', to: '2026-11-19', isPeriodStated: false },
  });
  expect(periodOf({ ...given, balances: [] }, [])).toMatchObject({ from: '2026-11-22', to: '2026-11-22' });
});
