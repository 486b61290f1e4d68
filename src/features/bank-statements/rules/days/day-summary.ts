import { dayMs } from '../../../../shared/clock';
import type { StatementHead } from '../reading/statement';
import { closingOf, differ, endOf, openingOf } from '../versions/join-pages';
import type { DayChoice, VersionQuestion } from '../versions/choose-version';
import type { DayVersion } from '../versions/day-version';

/** The chosen version of one account-day, without its lines. */
export interface DaySummary extends Pick<DayVersion, 'openingCents' | 'closingCents' | 'changeCents'> {
  day: string;
  version: string;
  /** Its first and last statement. */
  first: Pick<StatementHead, 'digest' | 'number' | 'from' | 'to'>;
  last: Pick<StatementHead, 'digest' | 'number'>;
  isNumbered: boolean;
  /** Whether a number or an amount is missing between two of its statements. */
  hasGap: boolean;
  isPeriodStated: boolean;
  /** Whether the last statement ends before the day does. */
  endsEarly: boolean;
  coversTo: string;
  question: VersionQuestion | null;
}

/** Adds up the lines of statements without balances, up to the next stated balance. */
function hasGap({ chain, isJoined }: DayVersion): boolean {
  let end: bigint | null = null;
  let last: bigint | null = null;
  if (isJoined) return false;
  return chain.some((next) => {
    const { number } = next.statement;
    const opening = openingOf(next);
    const sum = opening === null && end !== null ? end + next.changeCents : null;
    const isMissing = last !== null && number !== null && number > last + 1n;
    const isGap = isMissing || differ(end, opening) || differ(sum, closingOf(next));
    [end, last] = [endOf(next) ?? sum, number];
    return isGap;
  });
}

export function summaryOf(day: string, { version, question }: DayChoice): DaySummary {
  const { chain, key, first, last, openingCents, closingCents, changeCents } = version;
  const heads = chain.map(({ statement }) => statement);
  return {
    ...{ day, version: key, first, last, openingCents, closingCents, changeCents, question },
    isNumbered: heads.every(({ number }) => number !== null),
    hasGap: hasGap(version),
    isPeriodStated: heads.every((head) => head.isPeriodStated),
    endsEarly: last.endMs < dayMs,
    coversTo: heads.map(({ coversTo }) => coversTo).sort()[0] ?? day,
  };
}

/** In a closed month, the version stays if a new one differs, and this is the question. */
export const changedAfterClose = (now: string | undefined, closed: string | null): VersionQuestion => ({
  kind: 'changed_after_close',
  versions: [now, closed].filter((key) => typeof key === 'string'),
});

/** Whether a version leaves the balances of a closed month as they are, and asks nothing. */
export const keepsBalances = (
  closed: Pick<DayVersion, 'openingCents' | 'closingCents'>,
  { version, question }: DayChoice,
): boolean =>
  question === null &&
  !differ(closed.openingCents, version.openingCents) &&
  !differ(closed.closingCents, version.closingCents);

/** Whether a version leaves the balance before its day as it is, and asks nothing. */
export const staysAt = (cents: bigint | null, { version, question }: DayChoice): boolean =>
  question === null && cents !== null && version.openingCents === cents && version.closingCents === cents;
