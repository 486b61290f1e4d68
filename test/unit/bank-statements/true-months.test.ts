import fc from 'fast-check';

import { isMoney } from '../../../src/features/bank-statements/rules/reading/statement';
import { lineRef } from '../../../src/features/bank-statements/rules/versions/choose-version';
import { randomCases } from '../../support/full-run';
import { StatementDays } from '../../support/statement-days';
import {
  bankMonth,
  type BankMonth,
  contributions,
  filesOf,
  ids,
  joinFiles,
  mapping,
  truthOf,
} from './bank-months';

/** Plays files in an order. A noisy account also works in between, repeats files and voids some. */
function play(files: readonly string[], order: readonly number[], isNoisy: boolean): StatementDays {
  const account = new StatementDays({ contributions });
  const placed = files.map((content, at) => ({ content, place: order[at % order.length]! + at / 1_000 }));
  placed.sort((one, other) => one.place - other.place);
  for (const [at, { content }] of placed.entries()) {
    const upload = (): string => account.upload(content, content.startsWith('Date') ? { mapping } : {});
    const fileId = upload();
    if (isNoisy && at % 3 === 0) account.work();
    if (isNoisy && at % 5 === 2) upload();
    if (isNoisy && at % 4 === 1) {
      account.work();
      account.void(fileId);
      account.work();
      upload();
    }
  }
  return account;
}

const moneyOf = (account: StatementDays) =>
  ids.map((id) => {
    const { paid, returned } = account.moneyOf(id);
    return { paid, returned };
  });

/** All that people see. */
const seen = (account: StatementDays) => ({
  versions: account.rows().map(({ day, version }) => `${day} ${version}`),
  lines: account.lines().map(({ key, outcome, state, reason }) => ({ key, outcome, state, reason })),
  money: moneyOf(account),
  questions: account.questions(),
  calendar: account.calendar(),
});

/**
 * Without a question, everything equals the truth. A question hides money, and never doubles it.
 */
function expectTruth(account: StatementDays, month: BankMonth): boolean {
  const { money, ...terms } = truthOf(month);
  const found = moneyOf(account);
  // Reports, notifications and CSV files alone may lack references, or state a payment on two days.
  if (month.forms.includes('none')) return false;
  if (account.questions().length > 0) {
    const isAbove = found.some(
      ({ paid, returned }, at) => paid > money[at]!.paid || returned > money[at]!.returned,
    );
    expect(isAbove).toBe(false);
    return false;
  }
  expect(found).toEqual(money);
  expect(account.reconcile()).toMatchObject({ ...terms, ignored: 0n, isExact: true });
  return true;
}

/** Each booked line of each file counts, is proposed, or is replaced by what has it instead. */
function expectOneStateOfEachLine(account: StatementDays): void {
  const kept = new Map(account.lines().map(({ line, state }) => [lineRef(line), state]));
  const replaced = new Map(account.replaced().map(({ line, by }) => [lineRef(line), by]));
  const versions = account.rows().map(({ version }) => version);

  const statements = [...account.statements.values()].map(({ head }) => `${head.digest} ${head.statementId}`);
  const known = new Set([...versions, ...statements]);
  for (const line of [...account.statements.values()].flatMap(({ lines }) => lines.filter(isMoney))) {
    const [state, by] = [kept.get(lineRef(line)), replaced.get(lineRef(line))];
    expect([state, by].filter((one) => one !== undefined)).toHaveLength(1);
    if (by !== undefined) expect(known.has(by)).toBe(true);
  }
}

test('money, terms and states equal the truth of the bank, in any order, overlap, repetition, split and void', () => {
  let answered = 0;
  fc.assert(
    fc.property(bankMonth, (month) => {
      const files = filesOf(month);
      const account = play(files, month.orders[0], false);
      expectOneStateOfEachLine(account);
      answered += Number(expectTruth(account, month));
      const other = play(month.isJoined ? joinFiles(files) : files, month.orders[1], true);
      expect(seen(other)).toEqual(seen(account));
    }),
    { numRuns: randomCases(6_000) },
  );
  expect(answered).toBeGreaterThan(randomCases(6_000) / 4);
});
