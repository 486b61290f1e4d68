import { joinLines, type StatedLine } from '../../../src/features/statements/matching/join-lines';
import { dayMs } from '../../../src/shared/clock';
import { longTest } from '../../support/full-run';

/** Lines with one reference and amount, each of another payer, in a statement for each day. */
function linesOfDays(days: number, ofDay: number): StatedLine[] {
  const lineOf = (day: number, line: number): StatedLine => ({
    fileId: 'file',
    statementNumber: day,
    format: 'camt.053',
    startsAtMs: day * dayMs,
    endsAtMs: (day + 1) * dayMs,
    isTimeKnown: true,
    startBalance: null,
    isFinal: true,
    isTrusted: true,
    bookingDate: '2026-11-20',
    ids: [],
    identifiers: [`payer ${day} ${line}`],
    key: `${day} ${line}`,
  });
  return Array.from({ length: days * ofDay }, (_, at) => lineOf(Math.floor(at / ofDay), at % ofDay));
}

test('the lines of a group are different payments if each has another payer', () => {
  const payments = joinLines(linesOfDays(5, 1_000));
  expect(payments).toHaveLength(5_000);
  expect(payments.every(({ standing }) => standing === 'proven')).toBe(true);
});

longTest('after ten million comparisons, the lines of a group are possible repeats', () => {
  const payments = joinLines(linesOfDays(12, 1_000));
  expect(payments).toHaveLength(12_000);
  expect(payments.at(0)?.standing).toBe('proven');
  expect(payments.at(-1)?.standing).toBe('possible');
});
