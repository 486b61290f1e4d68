import type { EntryDecision } from '../../statement.fields';
import { groupBy } from '../../../../shared/group-by';
import type { StatementLine } from '../reading/statement';
import { type DayLine, isNear, moneyKey } from './near-lines';

type Identity = Pick<StatementLine, 'day' | 'direction' | 'cents' | 'reference' | 'digest' | 'content'>;

/** The newest decision on a line, with what identified the line. */
export type LineDecision = EntryDecision &
  Identity & {
    occurrence: number;
    /** Whether its line was booked, and the only one with its money within seven days. */
    canMove: boolean;
  };

/** Lines of a day that a decision can be about, with the number of equal ones. */
export type DecidableLine = Identity & { count: number };

/**
 * Identifies a line of an account by all that it states. `occurrence` numbers equal lines of a day,
 * from 1.
 */
export const lineKey = ({ day, content }: Pick<Identity, 'day' | 'content'>, occurrence: number): string =>
  `${day} ${content} ${occurrence}`;

/** The numbers of a series: more than the equal lines in a bucket. */
const numbersOfSeries = 100_000;
/** Parts that notifications supply are of series after those of lines, one for each bucket. */
export const firstSeriesOfParts = 1_024;

/**
 * Numbers equal lines.
 *
 * @param isLast whether a line comes after equal lines
 */
export function numberLines<Line extends DayLine>(
  lines: readonly Line[],
  isLast: (line: Line) => boolean,
): Map<string, Line & { occurrence: number }> {
  const keyed = new Map<string, Line & { occurrence: number }>();
  const rankOf = (line: Line): string => `${Number(isLast(line))} ${String(line.number).padStart(9, '0')}`;
  for (const equal of groupBy(lines, (line) => lineKey(line, line.series)).values()) {
    equal.sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
    for (const [at, line] of equal.entries()) {
      const occurrence = line.series * numbersOfSeries + at + 1;
      keyed.set(lineKey(line, occurrence), { ...line, occurrence });
    }
  }
  return keyed;
}

/**
 * The key of the only line with the reference, direction and cents of a decision within seven days
 * of its month. Without a reference, with its ids or text on its day.
 */
function onlyLine(decision: LineDecision, lines: readonly DecidableLine[]): string | undefined {
  const days = decision.reference === null ? 0 : 7;
  const same = lines.filter(
    (line) => moneyKey(line) === moneyKey(decision) && isNear(line.day, decision.day, days),
  );
  const [only] = same;
  const isOfMonth = only?.day.slice(0, 7) === decision.day.slice(0, 7);
  return only && isOfMonth && same.length === 1 && only.count === 1 ? lineKey(only, 1) : undefined;
}

/**
 * A decision is about the line with its key. Without that line, it moves to the only line with its
 * money, unless that line has another decision. It never moves if another line with its money
 * existed, which may be another payment, or if a notification supplied its line.
 *
 * @param lines those with the references and amounts of the decisions. Equal lines of a day are one
 * @returns the decisions by line key, and those without a line, which are questions
 */
export function placeDecisions(decisions: readonly LineDecision[], lines: readonly DecidableLine[]) {
  const counts = new Map(lines.map((line) => [lineKey(line, 0), line.count]));
  const placed = new Map(decisions.map((decision) => [lineKey(decision, decision.occurrence), decision]));
  const lost = decisions.filter(
    ({ occurrence, ...line }) => (counts.get(lineKey(line, 0)) ?? 0) < occurrence,
  );
  const isOfPart = ({ occurrence }: LineDecision): boolean =>
    occurrence >= firstSeriesOfParts * numbersOfSeries;
  const unplaced = new Set(lost);
  for (const [key, [decision, ...others]] of groupBy(
    lost,
    (one) => (one.canMove && !isOfPart(one) && onlyLine(one, lines)) || '',
  )) {
    if (key === '' || !decision || others.length > 0 || placed.has(key)) continue;
    placed.set(key, decision);
    unplaced.delete(decision);
  }
  return { placed, unplaced: [...unplaced] };
}
