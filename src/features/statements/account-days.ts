import type { dayStates } from './account-day.field';
import { nextDay, previousDay } from './matching/banking-days';
import { rankOf } from './matching/covered-lines';
import type { DailyCents } from './matching/daily-cents';

/** A statement of an account, of any kind. */
export interface DayStatement {
  fileId: string;
  format: string;
  isFinal: boolean;
  /** Null if the statement states no usable period. */
  periodFrom: string | null;
  periodTo: string | null;
  /** The days of its period, or otherwise those of its entries. */
  firstDay: string;
  lastDay: string;
  startsAtMs: number;
  endsAtMs: number;
  /** When the bank made it. */
  madeAt: string | null;
  /** In UTC. */
  receivedOn: string;
  openingCents: bigint | null;
  closingCents: bigint | null;
  dailyCents: DailyCents | null;
  isInDollars: boolean;
  /** Whether all entries of its file were compared. */
  isCompared: boolean;
}

/** What is known about the days of an account. */
export interface ToldDays {
  accountId: string;
  ending: string | null;
  name: string | null;
  /** The range to judge, inclusive. Null without a range and without a final statement. */
  firstDay: string | null;
  lastDay: string | null;
  statements: readonly DayStatement[];
  /** By day: the signed sum in cents of the booked entries that count. */
  countedCents: Readonly<Record<string, string>>;
}

/** A day of an account: what counts, compared with the balances. */
export interface AccountDay {
  day: string;
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** Null if a balance is unknown. */
  movementCents: bigint | null;
  countedCents: bigint;
  /** Counted minus movement. Null if the day is not checked. */
  differenceCents: bigint | null;
  state: (typeof dayStates)[number];
  /** Why the day is not checked, as a sentence. */
  reason: string | null;
  /** The files whose statements tell a balance of the day. */
  fileIds: readonly string[];
}

/** The balances that one statement tells of one day. */
interface Told {
  statement: DayStatement;
  openingCents: bigint | null;
  closingCents: bigint | null;
}

function balanceBefore({ periodFrom, openingCents, dailyCents }: DayStatement, day: string): bigint | null {
  if (day === periodFrom) return openingCents;
  if (dailyCents === null || openingCents === null) return null;
  return Object.entries(dailyCents)
    .filter(([booked]) => booked < day)
    .reduce((sum, [, cents]) => sum + BigInt(cents), openingCents);
}

/** A file cannot tell the days after its receipt, nor all of the day of receipt. */
const lastToldDay = ({ periodFrom, lastDay, receivedOn }: DayStatement): string =>
  periodFrom !== lastDay && lastDay > receivedOn ? previousDay(receivedOn) : lastDay;

const toldBy = (statement: DayStatement, day: string): Told => ({
  statement,
  openingCents: balanceBefore(statement, day),
  closingCents: day === statement.periodTo ? statement.closingCents : balanceBefore(statement, nextDay(day)),
});

type Rank = (told: Told) => readonly (number | string | bigint)[];

/** The one of the highest rank. The first elements that differ decide. */
function highest(all: readonly Told[], rankOf: Rank): Told | undefined {
  const isHigher = (one: Told, other: Told): boolean => {
    const [ranks, others] = [rankOf(one), rankOf(other)];
    const at = ranks.findIndex((rank, place) => rank !== others[place]);
    return at >= 0 && (ranks[at] ?? 0) > (others[at] ?? 0);
  };
  return all.reduce<Told | undefined>(
    (best, one) => (best === undefined || isHigher(one, best) ? one : best),
    undefined,
  );
}

const preference = ({ statement: { format } }: Told): number => -rankOf(format);

/**
 * The opening balance of the statement that starts first, and the closing balance of the one that
 * ends last. Of several such statements, the one that the bank made last tells it. The order of the
 * uploads never matters. Balances of a preferred format come before all others, because its entries
 * do.
 */
function balancesOf(told: readonly Told[]): Pick<AccountDay, 'openingCents' | 'closingCents'> {
  const opened = told.filter(({ openingCents }) => openingCents !== null);
  const closed = told.filter(({ closingCents }) => closingCents !== null);
  const first = highest(opened, (one) => [
    preference(one),
    -one.statement.startsAtMs,
    one.statement.madeAt ?? '',
    one.openingCents ?? 0n,
  ]);
  const last = highest(closed, (one) => [
    preference(one),
    one.statement.endsAtMs,
    one.statement.madeAt ?? '',
    one.closingCents ?? 0n,
  ]);
  return { openingCents: first?.openingCents ?? null, closingCents: last?.closingCents ?? null };
}

/** @returns undefined if nothing but a balance can be missing */
function obstacleOf(ofDay: readonly DayStatement[]): string | undefined {
  const finals = ofDay.filter(({ isFinal }) => isFinal);
  if (ofDay.some(({ isCompared }) => !isCompared)) {
    return 'The service is still comparing a file of this day.';
  }
  if (finals.length === 0) return 'No final statement covers this day.';
  if (finals.every(({ periodFrom }) => periodFrom === null)) {
    return 'The statement states no period, so its balances belong to no day.';
  }
  return finals.every(({ isInDollars }) => isInDollars) ? undefined : 'A statement is not in US dollars.';
}

const missingBalance = (told: readonly Told[]): string =>
  told.some(({ statement }) => statement.openingCents !== null && statement.closingCents !== null)
    ? 'The statement tells only the balances of its whole period.'
    : 'No statement tells both balances of this day.';

function judgeDay(day: string, { statements, countedCents }: ToldDays): AccountDay {
  const ofDay = statements.filter((statement) => statement.firstDay <= day && day <= lastToldDay(statement));
  const told = ofDay
    .filter(({ isFinal, periodFrom, isInDollars }) => isFinal && periodFrom !== null && isInDollars)
    .map((statement) => toldBy(statement, day));
  const { openingCents, closingCents } = balancesOf(told);
  const movementCents = openingCents === null || closingCents === null ? null : closingCents - openingCents;
  const counted = BigInt(countedCents[day] ?? '0');
  const reason = obstacleOf(ofDay) ?? (movementCents === null ? missingBalance(told) : null);
  const differenceCents = reason === null && movementCents !== null ? counted - movementCents : null;
  const fileIds = told
    .filter((one) => one.openingCents !== null || one.closingCents !== null)
    .map(({ statement }) => statement.fileId);
  return {
    ...{ day, openingCents, closingCents, movementCents, countedCents: counted, differenceCents },
    state: differenceCents === null ? 'not_checked' : differenceCents === 0n ? 'balanced' : 'different',
    reason,
    fileIds: [...new Set(fileIds)],
  };
}

/**
 * Judges each day of the range: whether the booked entries that count add up to the movement of the
 * balances.
 */
export function judgeDays(told: ToldDays): AccountDay[] {
  const days: AccountDay[] = [];
  const { firstDay, lastDay } = told;
  if (firstDay === null || lastDay === null) return days;
  for (let day = firstDay; day <= lastDay; day = nextDay(day)) days.push(judgeDay(day, told));
  return days;
}
