import { groupBy } from '../../../../shared/group-by';
import { compareTimes, isMoney, type StatementDay } from '../reading/statement';
import { linesWithout, sharesLines } from './compare-lines';
import { addsUp, differ, endOf, openingOf, problemOf } from './join-pages';

/** More statements are not compared with each other. */
export const mostVersions = 24;

const areBalancesKnown = (one: StatementDay, next: StatementDay): boolean =>
  endOf(one) !== null && openingOf(next) !== null;
const isContinued = (one: StatementDay, next: StatementDay): boolean =>
  areBalancesKnown(one, next) && endOf(one) === openingOf(next);
const isLater = (one: StatementDay, next: StatementDay): boolean =>
  one.statement.endMs <= next.statement.startMs;
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

/** Whether two statements of a day do not belong together, because of their balances. */
const isSeparate = (one: StatementDay, next: StatementDay): boolean =>
  isOfOneDay(one) && (differ(openingOf(one), openingOf(next)) || isContinued(one, next));

/**
 * Whether a version may drop an older one. Without balances, it must have all lines of one without
 * balances. Otherwise it must not be another statement: one with the same Id, or one that is
 * separate by its balances, which has less than half of the lines.
 */
function mayDrop(newest: StatementDay, old: StatementDay): boolean {
  const gone = linesWithout(old.lines, newest.lines).length;
  if (!addsUp(newest.statement)) return gone === 0 && !addsUp(old.statement);
  if (problemOf(old.statement) !== null || 2 * gone <= old.lines.length) return true;
  return old.statement.number !== null && !isSeparate(old, newest);
}

/**
 * Of the versions of a statement, the balanced one that was made last, if it may drop the others.
 * Versions have the same number and period, or without a number, the same Id. Statements of a day
 * that follow each other are no versions. Without creation times, all remain.
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
  return newest.every((one) => days.every((old) => mayDrop(one, old))) ? newest : days;
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
  if (isLater(one, next)) return true;
  if (a.number === b.number) return isChained(one, next);
  if (a.number === null || b.number === null || b.number < a.number) return false;
  return !areBalancesKnown(one, next) || isContinued(one, next);
}

/**
 * Whether statements state again what a chain states: they start with its balance and lines. If
 * their balance does not continue it, shared lines are enough, and unless they are later in the
 * day, so are all lines of the chain.
 */
function restates(chain: readonly StatementDay[], next: readonly StatementDay[]): boolean {
  const [first, last, start] = [chain[0], chain.at(-1), next[0]];
  if (!first || !last || !start) return false;
  const linesOf = (of: readonly StatementDay[]) => of.flatMap(({ lines }) => lines.filter(isMoney));
  const [a, b] = [linesOf(chain), linesOf(next)];
  const isProven = isContinued(last, start);
  if (!isProven && sharesLines(a, b)) return true;
  if (isLater(last, start) || a.length === 0 || a.length > b.length) return false;
  if (isProven && (openingOf(first) !== openingOf(start) || a.length !== b.length)) return false;
  return linesWithout(a, b).length === 0;
}

function continues(chain: readonly StatementDay[], next: readonly StatementDay[]): boolean {
  const [last, first] = [chain.at(-1), next[0]];
  return last !== undefined && first !== undefined && follows(last, first) && !restates(chain, next);
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
