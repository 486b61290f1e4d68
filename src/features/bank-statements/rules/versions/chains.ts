import { groupBy } from '../../../../shared/group-by';
import { compareTimes, isMoney, type StatementDay } from '../reading/statement';
import { linesWithout } from './compare-lines';
import { closingOf, openingOf, problemOf } from './join-pages';

/** More statements are not compared with each other. */
export const mostVersions = 24;

const isContinued = (one: StatementDay, next: StatementDay): boolean =>
  closingOf(one) !== null && closingOf(one) === openingOf(next);
const isOfOneDay = ({ statement: { from, to } }: StatementDay): boolean => from === to;

/**
 * Whether a statement of a day starts with the balance with which another ends, and neither with
 * the same one nor with the same lines.
 */
const isChained = (one: StatementDay, next: StatementDay): boolean =>
  isOfOneDay(one) &&
  isContinued(one, next) &&
  openingOf(one) !== openingOf(next) &&
  (one.lines.length === 0 || linesWithout(one.lines, next.lines).length > 0);

/**
 * Whether a statement with the same Id, or one of a day that continues with the same number, is
 * another one: less than half of its lines remained.
 */
const isOther = (old: StatementDay, newest: StatementDay): boolean =>
  (old.statement.number === null || (isOfOneDay(old) && isContinued(old, newest))) &&
  problemOf(old.statement) === null &&
  2 * linesWithout(old.lines, newest.lines).length > old.lines.length;

/**
 * Of the versions of a statement, the balanced one that was made last. Versions have the same
 * number and period. Without a number, they have the same Id, and the newest keeps half of the
 * lines. Statements of a day that follow each other are no versions. Without creation times, all
 * remain.
 */
function newestVersion(days: readonly StatementDay[]): readonly StatementDay[] {
  const [first, ...others] = days;
  if (!first || others.length === 0 || days.length > mostVersions) return days;
  const time = (one: StatementDay, other: StatementDay) =>
    compareTimes(one.statement.madeAt, other.statement.madeAt);
  const isTimeKnown = days.every((day) => time(day, first) !== undefined);
  if (!isTimeKnown || days.some((one) => days.some((next) => isChained(one, next)))) return days;
  const balanced = days.filter(({ statement }) => problemOf(statement) === null);
  const candidates = balanced.length > 0 ? balanced : days;
  const newest = candidates.filter((one) => candidates.every((other) => (time(one, other) ?? 0) >= 0));
  return days.some((old) => newest.some((one) => isOther(old, one))) ? days : newest;
}

/** Drops the older versions of each statement. All days are of one format. */
export function newestVersions(days: readonly StatementDay[]): StatementDay[] {
  const groups = groupBy(days, ({ statement: { number, bankId, from, to, startMs, endMs } }) =>
    JSON.stringify([number === null ? (bankId ?? '') : `number ${number}`, from, to, startMs, endMs]),
  );
  return [...groups.values()].flatMap(newestVersion);
}

const textOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** A total order: a statement without a number or time comes first. */
function inOrder({ statement: one }: StatementDay, { statement: other }: StatementDay): number {
  const byNumber = Number((one.number ?? -1n) - (other.number ?? -1n));
  const byTime = textOrder(one.madeAt ?? '', other.madeAt ?? '');
  return one.startMs - other.startMs || byNumber || byTime || textOrder(one.digest, other.digest);
}

/**
 * Whether a statement follows another within the day: it is later in the day, or its opening
 * balance is the other's closing balance and its number is not lower. A statement of several days
 * starts and ends at midnight, unless its number continues the other's.
 */
function follows(one: StatementDay, next: StatementDay): boolean {
  const [a, b] = [one.statement, next.statement];
  const isNextNumber = a.number !== null && b.number === a.number + 1n;
  if (one.day !== a.to || next.day !== b.from) return false;
  if (!isNextNumber && (a.from !== a.to || b.from !== b.to)) return false;
  if (a.endMs <= b.startMs) return true;
  if (a.number === b.number) return isChained(one, next);
  if (a.number === null || b.number === null || b.number < a.number) return false;
  return closingOf(one) === null || openingOf(next) === null || isContinued(one, next);
}

/**
 * Whether statements state again what a chain states: they start with its balance and lines.
 * Without balances, the lines must do, and more may follow.
 */
function restates(chain: readonly StatementDay[], next: readonly StatementDay[]): boolean {
  const [opening, nextOpening] = [chain[0], next[0]].map((one) => one && openingOf(one));
  const [a, b] = [chain, next].map((of) => of.flatMap(({ lines }) => lines.filter(isMoney)));
  if (!a || !b || a.length === 0 || a.length > b.length) return false;
  const isUnknown = chain.some((one) => closingOf(one) === null) || nextOpening === null;
  if (!isUnknown && (opening !== nextOpening || a.length !== b.length)) return false;
  return linesWithout(a, b).length === 0;
}

function continues(chain: readonly StatementDay[], next: readonly StatementDay[]): boolean {
  const [last, first] = [chain.at(-1), next[0]];
  if (!last || !first || !follows(last, first)) return false;
  return last.statement.endMs <= first.statement.startMs || !restates(chain, next);
}

/** Joins chains whose balances follow each other, whatever their order is. */
function joinChains(chains: StatementDay[][]): StatementDay[][] {
  for (const one of chains) {
    const next = chains.find((other) => other !== one && continues(one, other));
    const others = chains.filter((other) => other !== one && other !== next);
    if (next) return joinChains([[...one, ...next], ...others]);
  }
  return chains;
}

/** The statements of a day as chains: the statements of each follow each other. */
export function chainsOf(days: readonly StatementDay[]): StatementDay[][] {
  const chains: StatementDay[][] = [];
  for (const day of [...days].sort(inOrder)) {
    const chain = chains.find((one) => continues(one, [day]));
    if (chain) chain.push(day);
    else chains.push([day]);
  }
  return chains.length > mostVersions ? chains : joinChains(chains);
}
