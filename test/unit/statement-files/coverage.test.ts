import fc from 'fast-check';

import { coverageOf, latestDaysOf } from '../../../src/modules/statements/coverage';
import type { CoveredPeriod } from '../../../src/modules/statements/positions.store';

/** Days of November 2026 without weekends, so that a gap of a day is a gap. */
const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
const row = (accountId: string, from: number, to = from, graceDays = 3): CoveredPeriod => ({
  accountId,
  graceDays,
  from: days[from] ?? null,
  to: days[to] ?? null,
  number: null,
  openingCents: null,
  closingCents: null,
});

test('the statements of all accounts cover the days that those of each account cover', () => {
  const period = fc.record({ account: fc.nat(3), from: fc.nat(4), length: fc.nat(2) });
  fc.assert(
    fc.property(
      fc.array(period, { minLength: 1, maxLength: 12 }),
      fc.nat(4),
      fc.nat(4),
      (periods, one, other) => {
        const rows = [...periods]
          .sort((first, second) => first.from - second.from || first.length - second.length)
          .map(({ account, from, length }) => row(String(account), from, Math.min(4, from + length)));
        const [from = '', to = ''] = [days[Math.min(one, other)], days[Math.max(one, other)]];
        const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
        const ofEach = accounts.map((id) => coverageOf(rows.filter(({ accountId }) => accountId === id)));
        expect(coverageOf(rows).covers(from, to)).toBe(ofEach.every((coverage) => coverage.covers(from, to)));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('an account without a statement covers nothing, and no account is not known', () => {
  const none = { ...row('B', 0), from: null, to: null };
  expect(coverageOf([row('A', 0, 4), none]).covers('2026-11-17', '2026-11-17')).toBe(false);
  expect(coverageOf([])).toMatchObject({ isKnown: false, graceDays: 3 });
  expect(coverageOf([]).covers('2026-11-17', '2026-11-17')).toBe(false);
});

test('many accounts and statements are read a few times each', () => {
  let reads = 0;
  const rows = Array.from({ length: 2_000 }, (_, at) => {
    const { accountId, ...others } = row(`A${at}`, 0, 4);
    return {
      ...others,
      get accountId() {
        reads += 1;
        return accountId;
      },
    };
  });
  expect(coverageOf(rows).covers('2026-11-17', '2026-11-18')).toBe(true);
  expect(reads).toBeLessThan(rows.length * 5);
  const many = Array.from({ length: 200_000 }, (_, at) => row('A', 0, 4, at === 7 ? 9 : 3));
  expect(coverageOf(many).graceDays).toBe(9);
});

describe('numbered statements of a day', () => {
  const numbered = (
    day: number,
    number: bigint,
    openingCents: bigint | null,
    closingCents = openingCents,
  ) => ({
    ...row('A', day),
    ...{ number, openingCents, closingCents },
  });
  const [first = '', second = '', third = ''] = days;
  const covers = (rows: readonly CoveredPeriod[]) =>
    [first, second, third].map((day) => coverageOf(rows).covers(day, day));

  test('cover it if each starts with the closing balance of the one before', () => {
    const parts = [numbered(0, 1n, 1n, 2n), numbered(0, 2n, 2n, 5n), numbered(0, 3n, 5n)];
    expect(covers([...parts, numbered(1, 4n, 5n)])).toEqual([true, true, false]);
    expect(coverageOf([...parts, numbered(1, 4n, 5n)]).covers(first, second)).toBe(true);
  });

  test('do not cover it if one is missing, by the balances or otherwise by the numbers', () => {
    expect(covers([numbered(0, 1n, 1n), numbered(0, 3n, 5n)])).toEqual([false, false, false]);
    expect(covers([numbered(0, 1n, null), numbered(0, 3n, null)])).toEqual([false, false, false]);
    expect(covers([numbered(0, 1n, null), numbered(0, 2n, null)])).toEqual([true, false, false]);
    // A bank that numbers the statements of all its accounts.
    expect(covers([numbered(0, 1n, 5n), numbered(0, 3n, 5n)])).toEqual([true, false, false]);
  });

  test('do not cover the days at a break, because the missing one may be of either day', () => {
    const rows = [numbered(0, 1n, 1n), numbered(1, 3n, 5n), numbered(2, 4n, 5n)];
    expect(covers(rows)).toEqual([false, false, true]);
  });

  test('are not among the latest days of their account if one is missing', () => {
    const latest = (...rows: CoveredPeriod[]) => latestDaysOf(rows).get('A');
    const gap = [numbered(1, 1n, 1n), numbered(1, 3n, 5n)];
    expect(latest(...gap)).toBeUndefined();
    expect(latest(row('A', 0), ...gap)).toMatchObject({ from: first, to: first });
    expect(latest(row('A', 0), numbered(1, 1n, 1n), numbered(1, 2n, 1n))).toMatchObject({
      from: first,
      to: second,
    });
  });

  test('may come twice, and beside a statement of the whole day', () => {
    const parts = [numbered(0, 1n, 1n, 2n), numbered(0, 1n, 1n, 2n), numbered(0, 2n, 2n, 5n)];
    const whole = { ...row('A', 0), openingCents: 1n, closingCents: 5n };
    expect(covers([...parts, { ...row('A', 1), openingCents: 5n }])).toEqual([true, true, false]);
    expect(covers([parts[0]!, whole])).toEqual([true, false, false]);
    expect(covers([numbered(0, 1n, 1n), numbered(0, 3n, 5n), whole])).toEqual([true, false, false]);
  });
});
