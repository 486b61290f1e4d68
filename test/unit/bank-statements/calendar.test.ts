import { StatementDays } from '../../support/statement-days';
import { statementFile, type StatementForm } from '../../support/statement-files';
import { coveredRanges } from '../../../src/features/bank-statements/rules/days/calendar';
import { contributions } from './bank-months';

/** The days that statements without lines cover. */
const still = (from: string, sequence?: number, form: StatementForm = {}): string =>
  statementFile([], {
    from,
    openingCents: 100_00n,
    ...(sequence === undefined ? {} : { sequence }),
    ...form,
  });

function play(...files: string[]): StatementDays {
  const account = new StatementDays({ contributions });
  for (const content of files) account.upload(content);
  return account;
}
const daysOf = (account: StatementDays): string[] =>
  account.calendar().map(({ day, state, reason }) => `${day.slice(8)} ${state}${reason ? ` ${reason}` : ''}`);

test('a numbered statement covers its day only if the one before is known', () => {
  expect(daysOf(play(still('2026-11-20', 2)))).toEqual(['20 missing start_unknown']);
  expect(daysOf(play(still('2026-11-20', 2), still('2026-11-19', 1)))).toEqual(['19 covered', '20 covered']);
});

test('numbers that follow from day to day show that nothing is missing before the first one', () => {
  const account = play(still('2026-11-19', 212), still('2026-11-20', 213));
  expect(daysOf(account)).toEqual(['19 covered', '20 covered']);
  account.upload(still('2026-11-23', 215));
  account.upload(still('2026-11-23', 214));
  expect(daysOf(account)[0]).toBe('19 missing start_unknown');
});

test('a number that is missing within a day is a question', () => {
  const account = play(still('2026-11-20', 1), still('2026-11-20', 3));
  expect(account.questions()).toEqual(['2026-11-20 does_not_follow']);
  account.upload(still('2026-11-20', 2));
  expect(account.questions()).toEqual([]);
});

test('numbers that are missing while no balance changes are a question', () => {
  const account = play(still('2026-11-19', 1), still('2026-11-20', 3));
  expect(account.questions()).toEqual(['2026-11-20 does_not_follow']);
  expect(daysOf(account)).toEqual(['19 open', '20 open']);
});

test('a number other than 1 does not start the numbers again', () => {
  expect(play(still('2026-11-19', 5), still('2026-11-20', 5)).questions()).toEqual([
    '2026-11-20 does_not_follow',
  ]);
  expect(play(still('2026-11-19', 5), still('2026-11-20', 1)).questions()).toEqual([]);
});

test('the last day of a bank with several numbers a day is not covered', () => {
  const account = play(still('2026-11-19', 1), still('2026-11-19', 2), still('2026-11-20', 3));
  expect(daysOf(account)).toEqual(['19 covered', '20 missing end_unknown']);
});

test('a part of a day covers the day only if the next day follows', () => {
  const morning = { from: '2026-11-20T00:00:00', to: '2026-11-20T12:00:00' };
  const account = play(still('2026-11-19'), still('2026-11-20', undefined, morning));
  expect(daysOf(account)).toEqual(['19 covered', '20 missing end_unknown']);
  account.upload(still('2026-11-23'));
  expect(daysOf(account)).toEqual(['19 covered', '20 covered', '23 covered']);
});

test('a banking day without a statement is a question, unless the next number and balance follow', () => {
  expect(play(still('2026-11-18'), still('2026-11-20')).questions()).toEqual(['2026-11-20 days_missing']);
  const numbered = play(still('2026-11-18', 1), still('2026-11-20', 2));
  expect(numbered.questions()).toEqual([]);
  expect(coveredRanges(numbered.calendar())).toEqual([{ from: '2026-11-18', to: '2026-11-20' }]);
});

test('a weekend needs no statement', () => {
  const account = play(still('2026-11-20'), still('2026-11-23'));
  expect(coveredRanges(account.calendar())).toEqual([{ from: '2026-11-20', to: '2026-11-23' }]);
});

test('a balance that does not follow opens both days', () => {
  const account = play(still('2026-11-19'), still('2026-11-20', undefined, { openingCents: 7n }));
  expect(daysOf(account)).toEqual(['19 open', '20 open']);
  account.accepted.add(account.calendar()[1]!.questions[0]!.between);
  expect(daysOf(account)).toEqual(['19 covered', '20 covered']);
});

test('two parts of a day whose balances do not follow are a question', () => {
  const account = play(
    still('2026-11-20T00:00:00', undefined, { to: '2026-11-20T12:00:00' }),
    still('2026-11-20T12:00:00', undefined, { to: '2026-11-21T00:00:00', openingCents: 7n }),
  );
  expect(account.questions()).toEqual(['2026-11-20 does_not_follow']);
});

test('a statement covers no day after its upload', () => {
  const account = play(still('2026-12-14', undefined, { to: '2026-12-17' }));
  expect(daysOf(account)).toEqual([
    '14 covered',
    '15 missing not_ended',
    '16 missing not_ended',
    '17 missing not_ended',
  ]);
});

test('the same statement covers what its latest upload covers', () => {
  const content = still('2026-12-14', undefined, { to: '2026-12-17' });
  const account = play(content);
  account.now = new Date('2026-12-20T00:00:00Z');
  account.upload(content);
  expect(daysOf(account)).toEqual(['14 covered', '15 covered', '16 covered', '17 covered']);
});

test('a bank may number all days, also those without a statement', () => {
  expect(play(still('2026-11-20', 5), still('2026-11-23', 8)).questions()).toEqual([]);
  expect(play(still('2026-11-20', 5), still('2026-11-23', 7)).questions()).toEqual([
    '2026-11-23 does_not_follow',
  ]);
});
