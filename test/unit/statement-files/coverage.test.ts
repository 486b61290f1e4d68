import fc from 'fast-check';

import {
  type CoveredPeriod,
  coverageOf,
} from '../../../src/features/bank-statements/reporting/positions/coverage';
import { randomCases } from '../../support/full-run';

/** Consecutive working days of November 2026, so that every missing day is a gap. */
const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
const row = (accountId: string, from: number, to = from, graceDays = 3): CoveredPeriod => ({
  accountId,
  graceDays,
  from: days[from] ?? null,
  to: days[to] ?? null,
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
    { numRuns: randomCases(2_000) },
  );
});

test('an account without statements covers no day, and neither does no account', () => {
  const none = { ...row('B', 0), from: null, to: null };
  expect(coverageOf([row('A', 0, 4), none]).covers('2026-11-17', '2026-11-17')).toBe(false);
  expect(coverageOf([]).graceDays).toBe(3);
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
