import { groupBy } from '../../../../shared/group-by';
import { compareTimes, type StatementDay, type StatementHead } from '../reading/statement';

/**
 * The balance of a statement at the start of its day, and at the end. A statement without a closing
 * balance has none at the end of any day, because nothing proves that its lines are all lines.
 */
export const openingOf = ({ statement, beforeCents }: StatementDay): bigint | null =>
  statement.openingCents === null ? null : statement.openingCents + beforeCents;
export function closingOf(stated: StatementDay): bigint | null {
  const { statement, day, changeCents } = stated;
  const openingCents = openingOf(stated);
  if (statement.closingCents === null || day === statement.to) return statement.closingCents;
  return openingCents === null ? null : openingCents + changeCents;
}

/** The balance with which a statement ends a day: without a closing balance, that of its lines. */
export function endOf(one: StatementDay): bigint | null {
  const opening = openingOf(one);
  return closingOf(one) ?? (opening === null ? null : opening + one.changeCents);
}

/** Whether both balances are known and differ. */
export const differ = (one: bigint | null, other: bigint | null): boolean =>
  one !== null && other !== null && one !== other;

/** Whether a statement has both balances, and they add up. */
export const addsUp = ({ openingCents, closingCents, changeCents }: StatementHead): boolean =>
  openingCents !== null && closingCents !== null && openingCents + changeCents === closingCents;

export type StatementProblem = 'unbalanced' | 'incomplete';

/**
 * A statement is unbalanced if its balances do not add up. Wrong counts change nothing. A statement
 * that lacks pages may add up, because some banks number the pages of a message.
 */
export function problemOf(head: StatementHead): StatementProblem | null {
  const { openingCents, closingCents, isDamaged, page } = head;
  const hasBalances = openingCents !== null && closingCents !== null;
  if (hasBalances ? addsUp(head) : page === null && !isDamaged) return null;
  return page === null ? 'unbalanced' : 'incomplete';
}

const least = (texts: readonly string[]): string => [...texts].sort()[0] ?? '';
const greatest = (texts: readonly string[]): string => [...texts].sort().at(-1) ?? '';

/** Equal statements count once, and cover what the latest upload of them covers. */
function withoutRepeats(days: readonly StatementDay[]): StatementDay[] {
  return [...groupBy(days, ({ statement }) => statement.digest).values()].flatMap((equal) => {
    const first = equal.find(
      ({ statementIds: [id] }) => id === least(equal.flatMap(({ statementIds }) => statementIds)),
    );
    const coversTo = greatest(equal.map(({ statement }) => statement.coversTo));
    return first ? [{ ...first, statement: { ...first.statement, coversTo } }] : [];
  });
}

const pageOf = ({ statement }: StatementDay): number => statement.page?.number ?? 0;

/** The issues of each page, the newest last, in the order of the pages. */
function issuesOf(pages: StatementDay[]): StatementDay[][] {
  const keyOf = ({ statement: { madeAt, digest } }: StatementDay): string => `${madeAt ?? ''} ${digest}`;
  pages.sort((one, other) => pageOf(one) - pageOf(other) || (keyOf(one) < keyOf(other) ? -1 : 1));
  return [...groupBy(pages, (page) => String(pageOf(page))).values()];
}

/** The newest of the issues with the same lines. */
const withoutEqual = (issues: readonly StatementDay[]): StatementDay[] =>
  [
    ...groupBy(issues, ({ statement, beforeCents, lines }) =>
      [statement.changeCents, beforeCents, ...lines.map(({ content }) => content).sort()].join(' '),
    ).values(),
  ].flatMap((equal) => equal.at(-1) ?? []);

/** Whether each issue is known to be newer than the one before. */
const areOrdered = (issues: readonly StatementDay[]): boolean =>
  issues.every((one, at) => {
    const before = issues[at - 1];
    return !before || compareTimes(before.statement.madeAt, one.statement.madeAt) === -1;
  });

/**
 * Only the last page says that it is the last one, in each issue. So if issues differ, each has all
 * pages, and their times say which one is the newest.
 */
function areWhole(issues: readonly StatementDay[][]): boolean {
  const different = issues.map(withoutEqual);
  const areSame = different.every(({ length }) => length === 1);
  return issues.every(
    (ofPage, at) =>
      (areSame || (ofPage.length === issues[0]?.length && areOrdered(different[at] ?? []))) &&
      ofPage.every(
        (one) => pageOf(one) === at + 1 && one.statement.page?.isLast === (at + 1 === issues.length),
      ),
  );
}

/** Joins the newest issue of each page. */
function joined(issues: readonly StatementDay[][], first: StatementDay): StatementDay {
  const pages = issues.flatMap((ofPage) => ofPage.at(-1) ?? []);
  const heads = pages.map(({ statement }) => statement);
  const sum = (cents: (page: StatementDay) => bigint): bigint =>
    pages.reduce((total, page) => total + cents(page), 0n);
  const statement = {
    ...first.statement,
    from: least(heads.map(({ from }) => from)),
    to: greatest(heads.map(({ to }) => to)),
    closingCents: heads.findLast(({ closingCents }) => closingCents !== null)?.closingCents ?? null,
    changeCents: sum((page) => page.statement.changeCents),
    isDamaged: heads.some(({ isDamaged }) => isDamaged),
    page: areWhole(issues) ? null : first.statement.page,
    digest: heads.map(({ digest }) => digest).join('.'),
  };
  return {
    ...{ ...first, statement, statementIds: heads.map(({ statementId }) => statementId) },
    ...{ beforeCents: sum((page) => page.beforeCents), changeCents: sum((page) => page.changeCents) },
    lines: pages.flatMap(({ lines }) => lines),
  };
}

/**
 * Pages with equal format, Id and number are one statement, also in several files. Equal statements
 * are dropped.
 *
 * @param days what the statements of an account state of one day
 */
export function joinPages(days: readonly StatementDay[]): StatementDay[] {
  const groups = groupBy(withoutRepeats(days), ({ statement: { page, format, bankId, number, digest } }) =>
    page === null ? digest : `${format} ${bankId} ${number}`,
  );
  return [...groups.values()].flatMap((group) => {
    const issues = issuesOf(group);
    const first = issues[0]?.at(-1);
    return !first ? [] : first.statement.page === null ? [first] : [joined(issues, first)];
  });
}
