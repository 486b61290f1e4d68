import fc from 'fast-check';

import { coverageOf, latestDaysOf } from '../../../src/features/statements/coverage';
import type { CoveredPeriod } from '../../../src/features/statements/positions.store';
import { randomCases } from '../../support/full-run';

/** Consecutive working days of November 2026, so that every missing day is a gap. */
const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
const row = (accountId: string, from: number, to = from, graceDays = 3): CoveredPeriod => ({
  accountId,
  graceDays,
  from: days[from] ?? null,
  to: days[to] ?? null,
  number: null,
  openingCents: null,
  closingCents: null,
  dailyCents: null,
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
    const next = [numbered(1, 4n, 5n), numbered(2, 5n, 5n)];
    expect(covers([...parts, ...next])).toEqual([true, true, false]);
    expect(coverageOf([...parts, ...next]).covers(first, second)).toBe(true);
  });

  test('do not cover the last day if the bank writes several a day, because another may follow', () => {
    const several = [numbered(0, 1n, 1n, 2n), numbered(0, 2n, 2n, 5n)];
    expect(covers(several)).toEqual([false, false, false]);
    expect(covers([...several, numbered(1, 3n, 5n)])).toEqual([true, false, false]);
    expect(covers([...several, { ...row('A', 1), openingCents: 5n }])).toEqual([true, true, false]);
    expect(covers([numbered(0, 1n, 5n), numbered(1, 2n, 5n)])).toEqual([true, true, false]);
  });

  test('do not cover it if the balances show a gap, or the numbers if there are no balances', () => {
    const coversFirst = (...rows: CoveredPeriod[]) => covers([...rows, row('A', 1)])[0];
    expect(coversFirst(numbered(0, 1n, 1n), numbered(0, 2n, 1n))).toBe(true);
    expect(coversFirst(numbered(0, 1n, 1n), numbered(0, 2n, 5n))).toBe(false);
    expect(coversFirst(numbered(0, 1n, null), numbered(0, 3n, null))).toBe(false);
    expect(coversFirst(numbered(0, 1n, null), numbered(0, 2n, null))).toBe(true);
    // The account is swept: the missing statement can have a payment and its sweep.
    expect(coversFirst(numbered(0, 1n, 5n), numbered(0, 3n, 5n))).toBe(false);
    expect(coversFirst(numbered(0, 1n, 1n, 5n), numbered(0, 3n, 5n, 9n))).toBe(false);
    // The bank gives all statements of a day the same number.
    expect(coversFirst(numbered(0, 1n, 1n, 5n), numbered(0, 1n, 5n, 9n))).toBe(true);
  });

  test('do not cover the days at a break, because the missing statement may be of either day', () => {
    const rows = [numbered(0, 1n, 1n), numbered(1, 3n, 5n), numbered(2, 4n, 5n)];
    expect(covers(rows)).toEqual([false, false, true]);
  });

  test('do not cover the days at a gap of the numbers if the account is swept', () => {
    const gap = [numbered(0, 1n, 5n), numbered(1, 3n, 5n)];
    expect(covers([...gap, numbered(2, 4n, 5n)])).toEqual([false, false, true]);
    // The balance of the next day shows that no money is missing.
    expect(covers([numbered(0, 1n, 5n), numbered(1, 3n, 5n, 6n)])).toEqual([true, true, false]);
    expect(covers([numbered(0, 1n, 4n, 5n), numbered(1, 3n, 5n)])).toEqual([true, true, false]);
    // The bank numbers all days, even those without a statement.
    expect(covers([numbered(0, 1n, 5n), numbered(2, 3n, 5n)])).toEqual([true, false, false]);
    const [friday, monday] = ['2026-11-20', '2026-11-23'];
    const days = [
      { ...numbered(0, 1n, 5n), from: friday, to: friday },
      { ...numbered(0, 4n, 5n), from: monday, to: monday },
    ];
    expect(coverageOf(days).covers(friday, monday)).toBe(true);
    expect(coverageOf([days[0]!, { ...days[1]!, number: 5n }]).covers(friday, friday)).toBe(false);
  });

  test('do not cover a day if the bank restarts its numbers each day, and number 1 is missing', () => {
    const ofDay = (day: number) => [numbered(day, 1n, 0n), numbered(day, 2n, 0n)];
    expect(covers([...ofDay(0), ...ofDay(1), ...ofDay(2), ...ofDay(3)])).toEqual([true, true, true]);
    const [, withoutFirst] = ofDay(1);
    expect(covers([...ofDay(0), withoutFirst!, ...ofDay(2), ...ofDay(3)])).toEqual([false, false, true]);
  });

  test('are not among the latest days of their account if one is missing', () => {
    const latest = (...rows: CoveredPeriod[]) => latestDaysOf(rows).get('A');
    const gap = [numbered(1, 1n, 1n), numbered(1, 3n, 5n)];
    expect(latest(...gap)).toBeUndefined();
    expect(latest(row('A', 0), ...gap)).toMatchObject({ from: first, to: first });
    const complete = [numbered(1, 1n, 1n), numbered(1, 2n, 1n), numbered(2, 3n, 1n)];
    expect(latest(row('A', 0), ...complete)).toMatchObject({ from: first, to: second });
  });

  test('do not cover the first day if the statement before is unknown', () => {
    expect(covers([numbered(0, 2n, 5n)])).toEqual([false, false, false]);
    expect(covers([numbered(0, 2n, 5n), numbered(1, 3n, 5n)])).toEqual([false, true, false]);
    // A statement is missing. It may be of the second day.
    expect(covers([numbered(0, 1n, 1n), numbered(1, 3n, 5n), numbered(1, 4n, 5n)])).toEqual([
      false,
      false,
      false,
    ]);
    // The statement of the second day is missing.
    expect(covers([numbered(0, 1n, 5n), numbered(2, 3n, 5n)])).toEqual([true, false, false]);
    expect(covers([numbered(0, 1n, 5n), numbered(2, 2n, 5n)])).toEqual([true, false, true]);
  });

  test('cover their days after a statement without a number', () => {
    const whole = { ...row('A', 0), openingCents: 1n, closingCents: 5n };
    expect(covers([whole, numbered(1, 2n, 5n)])).toEqual([true, true, false]);
    expect(covers([whole, numbered(1, 2n, 6n)])).toEqual([true, false, false]);
  });

  test('may come twice, and beside a statement of the whole day', () => {
    const parts = [numbered(0, 1n, 1n, 2n), numbered(0, 1n, 1n, 2n), numbered(0, 2n, 2n, 5n)];
    const whole = { ...row('A', 0), openingCents: 1n, closingCents: 5n };
    expect(covers([...parts, { ...row('A', 1), openingCents: 5n }])).toEqual([true, true, false]);
    expect(covers([parts[0]!, whole])).toEqual([true, false, false]);
    expect(covers([numbered(0, 1n, 1n), numbered(0, 3n, 5n), whole])).toEqual([true, false, false]);
  });
});

test('statements do not cover the days before and after a break, because their money may be missing', () => {
  const stated = (from: number, to: number, openingCents: bigint, closingCents: bigint) => ({
    ...row('A', from, to),
    ...{ openingCents, closingCents },
  });
  const covered = (...rows: CoveredPeriod[]) => days.map((day) => coverageOf(rows).covers(day, day));
  expect(covered(stated(0, 1, 1n, 2n), stated(2, 4, 5n, 6n))).toEqual([true, false, false, true, true]);
  expect(covered(stated(0, 0, 1n, 2n), stated(1, 1, 5n, 6n), stated(2, 2, 6n, 6n))).toEqual([
    ...[false, false, true, false, false],
  ]);
  expect(covered(stated(0, 1, 1n, 2n), stated(3, 4, 5n, 6n))).toEqual([true, true, false, true, true]);
  expect(latestDaysOf([stated(0, 1, 1n, 2n), stated(2, 2, 5n, 6n)]).get('A')).toMatchObject({
    from: days[0],
    to: days[0],
  });
});

describe('statements that overlap', () => {
  const [first = '', second = '', third = '', fourth = ''] = days;
  const stated = (
    from: number,
    to: number,
    [openingCents, closingCents]: readonly [bigint, bigint],
    dailyCents: CoveredPeriod['dailyCents'] = null,
  ): CoveredPeriod => ({ ...row('A', from, to), openingCents, closingCents, dailyCents });
  const covered = (...rows: readonly CoveredPeriod[]) =>
    [first, second, third, fourth].map((day) => coverageOf(rows).covers(day, day));

  test('do not cover the days for which they state different balances', () => {
    const long = stated(0, 2, [1n, 7n], { [first]: '2', [third]: '4' });
    expect(covered(long, stated(2, 3, [3n, 9n], { [third]: '4', [fourth]: '2' }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const broken = stated(2, 3, [5n, 9n], { [third]: '2', [fourth]: '2' });
    expect(covered(long, broken)).toEqual([true, true, false, true]);
    expect(coverageOf([long, broken]).covers(first, second)).toBe(true);
    expect(coverageOf([long, broken]).covers(second, third)).toBe(false);
    expect(latestDaysOf([long, broken]).get('A')).toEqual({ from: fourth, to: fourth });
  });

  test('are compared with the days in them, from their start to their end', () => {
    const long = stated(0, 2, [1n, 7n], { [first]: '2', [third]: '4' });
    expect(covered(long, stated(1, 1, [3n, 3n]))).toEqual([true, true, true, false]);
    expect(covered(long, stated(1, 1, [4n, 4n]))).toEqual([true, false, true, false]);
    expect(covered(long, stated(2, 2, [3n, 8n]))).toEqual([true, true, false, false]);
    // No balance is known within the long statement.
    expect(covered({ ...long, dailyCents: null }, stated(1, 1, [4n, 4n]))).toEqual([true, true, true, false]);
  });

  test('are compared if they have the same days', () => {
    expect(covered(stated(0, 0, [1n, 2n]), stated(0, 0, [1n, 2n]))).toEqual([true, false, false, false]);
    expect(covered(stated(0, 0, [1n, 2n]), stated(0, 0, [1n, 3n]))).toEqual([false, false, false, false]);
  });

  test('cover the same days as without balances if they agree', () => {
    const period = fc.record({ from: fc.nat(4), length: fc.nat(2), hasDays: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(period, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 5, maxLength: 5 }),
        (periods, booked) => {
          const balanceBefore = (day: number): bigint =>
            BigInt(booked.slice(0, day).reduce((sum, cents) => sum + cents, 0));
          const rows = [...periods]
            .sort((one, other) => one.from - other.from || one.length - other.length)
            .map(({ from, length, hasDays }) => {
              const to = Math.min(4, from + length);
              const ofDays = booked.map((cents, day) => [days[day] ?? '', String(cents)]).slice(from, to + 1);
              return stated(
                from,
                to,
                [balanceBefore(from), balanceBefore(to + 1)],
                hasDays ? (Object.fromEntries(ofDays) as CoveredPeriod['dailyCents']) : null,
              );
            });
          const plain = rows.map((one) => ({ ...one, openingCents: null, closingCents: null }));
          for (const [at, from] of days.entries()) {
            for (const to of days.slice(at)) {
              expect(coverageOf(rows).covers(from, to)).toBe(coverageOf(plain).covers(from, to));
            }
          }
        },
      ),
      { numRuns: randomCases(500) },
    );
  });
});
