import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import { isOwnAccount } from '../../accounts/account-numbers.store';
import { isNotUndone } from '../../days/day-answers.store';
import type { DaySummary } from '../../rules/days/day-summary';
import type { VersionChoice } from '../../rules/versions/day-version';

/** A day of an account: its version, or what keeps it from having one. */
export interface KnownDay {
  accountId: string;
  day: string;
  /** Null if no final statement states the day. */
  summary: DaySummary | null;
  /** Of a closed month, a day without a version can have a question. */
  question: DaySummary['question'];
  statementIds: string[];
  format: string | null;
  /** The versions of its question. Without the version of the day if that comes from a closing. */
  choices: VersionChoice[];
  hasWork: boolean;
  hasFailed: boolean;
}

export interface CalendarAccount {
  accountId: string;
  ending: string | null;
  name: string | null;
  direction: 'credit' | 'debit';
  completeCoverage: boolean;
  graceDays: number;
  createdAt: Date;
  /** What a person remembers for questions about two versions. */
  rememberedAnswer: 'newest' | 'all_lines' | null;
  /** Whether the bank has numbered several statements of a day. */
  hasSeveralNumbers: boolean;
  /** The first and last day with a version. */
  firstDay: string | null;
  lastDay: string | null;
}

const columns = `d.account_id, d.day::text, d.version, d.statement_ids, d.format, d.opening_cents, d.closing_cents, d.change_cents,
         d.summary, d.question, d.has_work, d.failures > 0 AS has_failed`;

/** The neighbors of a range show whether its first and last days are continued. */
const neighbors = 2;

// $1 environment_id, $2 account_ids, $3 first day, $4 last day, $5 maximum number of days between,
// or null
const readDays = query(
  'read_calendar_days',
  `
  SELECT n.* FROM unnest($2::uuid[]) AS a (account_id)
   CROSS JOIN LATERAL (
     (SELECT ${columns} FROM account_days d
       WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.day < $3::date AND d.version IS NOT NULL
       ORDER BY d.day DESC LIMIT ${neighbors})
      UNION ALL
     (SELECT ${columns} FROM account_days d
       WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.day BETWEEN $3::date AND $4::date
       ORDER BY d.day LIMIT $5::integer)
      UNION ALL
     (SELECT ${columns} FROM account_days d
       WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.day > $4::date AND d.version IS NOT NULL
       ORDER BY d.day LIMIT ${neighbors})
   ) AS n
   ORDER BY n.account_id, n.day
  `,
);

// $1 environment_id, $2 account_ids, $3 maximum number of days of each account
const readLatestDays = query(
  'read_latest_calendar_days',
  `
  SELECT n.* FROM unnest($2::uuid[]) AS a (account_id)
   CROSS JOIN LATERAL (
     SELECT ${columns} FROM account_days d
      WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.version IS NOT NULL
      ORDER BY d.day DESC LIMIT $3::integer
   ) AS n
   ORDER BY n.account_id, n.day
  `,
);

const ofAccount = `a.account_id, a.ending, a.name, a.direction, a.complete_coverage, a.grace_days, a.created_at, a.remembered_answer, EXISTS (
           SELECT FROM account_days d
            WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.summary -> 'isNumbered' = 'true'
              AND d.summary #>> '{first,digest}' <> d.summary #>> '{last,digest}') AS has_several_numbers, (
           SELECT d.day::text FROM account_days d
            WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.version IS NOT NULL
            ORDER BY d.day LIMIT 1) AS first_day, (
           SELECT d.day::text FROM account_days d
            WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.version IS NOT NULL
            ORDER BY d.day DESC LIMIT 1) AS last_day`;

// $1 environment_id, $2 account_ids
const readAccounts = query(
  'read_calendar_accounts',
  `
  SELECT ${ofAccount} FROM statement_accounts a
   WHERE a.environment_id = $1 AND a.account_id = ANY ($2::uuid[])
   ORDER BY a.account_id
  `,
);

// $1 environment_id
const readCompleteAccounts = query(
  'read_accounts_with_complete_coverage',
  `
  SELECT ${ofAccount} FROM statement_accounts a
   WHERE a.environment_id = $1 AND a.complete_coverage AND ${isOwnAccount}
   ORDER BY a.account_id
  `,
);

// Excludes accounts without statements and decisions, because their files were uploaded by mistake.
// $1 environment_id, $2 after this account_id or null, $3 the maximum number of rows
const listAccounts = query(
  'list_accounts_with_days',
  `
  SELECT ${ofAccount} FROM statement_accounts a
   WHERE a.environment_id = $1 AND ($2::uuid IS NULL OR a.account_id > $2::uuid) AND ${isOwnAccount}
     AND (a.complete_coverage OR EXISTS (
       SELECT FROM line_decisions n WHERE n.environment_id = $1 AND n.account_id = a.account_id) OR EXISTS (
       SELECT FROM statement_days t
         JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = t.statement_id
        WHERE t.environment_id = $1 AND t.account_id = a.account_id AND s.voided_at IS NULL))
   ORDER BY a.account_id LIMIT $3::integer
  `,
);

// $1 environment_id, $2 account_ids, $3 first day, $4 last day
const readAccepted = query(
  'read_accepted_gaps',
  `
  SELECT c.account_id, c.gap FROM day_choices c
   WHERE c.environment_id = $1 AND c.account_id = ANY ($2::uuid[]) AND c.day BETWEEN $3::date AND $4::date
     AND c.kind = 'accept'
     AND ${isNotUndone}
  `,
);

interface AccountRow {
  account_id: string;
  ending: string | null;
  name: string | null;
  direction: CalendarAccount['direction'];
  complete_coverage: boolean;
  grace_days: number;
  created_at: Date;
  remembered_answer: CalendarAccount['rememberedAnswer'];
  has_several_numbers: boolean;
  first_day: string | null;
  last_day: string | null;
}

const accountOf = (row: AccountRow): CalendarAccount => ({
  ...{ accountId: row.account_id, ending: row.ending, name: row.name, direction: row.direction },
  ...{ completeCoverage: row.complete_coverage, graceDays: row.grace_days, createdAt: row.created_at },
  rememberedAnswer: row.remembered_answer,
  ...{ hasSeveralNumbers: row.has_several_numbers, firstDay: row.first_day, lastDay: row.last_day },
});

type Cents = Record<'openingCents' | 'closingCents', string | null> & { changeCents: string };
type StoredHead = Omit<DaySummary['first'], 'number'> & { number: string | null };

/** As `chosenRow` stores it. */
interface StoredSummary extends Pick<
  DaySummary,
  'isNumbered' | 'hasGap' | 'isPeriodStated' | 'coversTo' | 'endsEarly'
> {
  first: StoredHead;
  last: Pick<StoredHead, 'digest' | 'number'>;
  /** Absent in days that an earlier version of the service has compared. */
  choices?: (Omit<VersionChoice, keyof Cents> & Cents)[];
}

interface DayRow {
  account_id: string;
  day: string;
  version: string | null;
  statement_ids: string[];
  format: string | null;
  opening_cents: string | null;
  closing_cents: string | null;
  change_cents: string | null;
  summary: StoredSummary | null;
  question: DaySummary['question'];
  has_work: boolean;
  has_failed: boolean;
}

const integer = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const choiceOf = (one: NonNullable<StoredSummary['choices']>[number]): VersionChoice => ({
  ...one,
  ...{ openingCents: integer(one.openingCents), closingCents: integer(one.closingCents) },
  changeCents: BigInt(one.changeCents),
});

function dayOf(row: DayRow): KnownDay {
  const { version, summary: stored, question, day } = row;
  const { choices = [], first, last, ...flags } = stored ?? ({} as StoredSummary);
  const summary =
    version === null || stored === null
      ? null
      : {
          ...{ ...flags, day, version, question, changeCents: BigInt(row.change_cents ?? 0) },
          first: { ...first, number: integer(first.number) },
          last: { ...last, number: integer(last.number) },
          ...{ openingCents: integer(row.opening_cents), closingCents: integer(row.closing_cents) },
        };
  return {
    ...{
      accountId: row.account_id,
      day,
      summary,
      question,
      format: row.format,
      statementIds: row.statement_ids,
    },
    ...{ choices: choices.map(choiceOf), hasWork: row.has_work, hasFailed: row.has_failed },
  };
}

export interface CalendarRange {
  /** Inclusive, like `to`. `-infinity` and `infinity` select all. */
  from: string;
  to: string;
  /** The maximum number of days of each account, without neighbors. */
  most?: number;
}

/** The days of accounts, as the calendar needs them. */
export function createCalendarStore(database: Pick<Database, 'run'>) {
  return {
    /** The accounts that exist. */
    accounts: async (environmentId: number, accountIds: readonly string[]): Promise<CalendarAccount[]> =>
      (await database.run<AccountRow>(readAccounts, [environmentId, accountIds])).map(accountOf),
    completeAccounts: async (environmentId: number): Promise<CalendarAccount[]> =>
      (await database.run<AccountRow>(readCompleteAccounts, [environmentId])).map(accountOf),
    /** The accounts with statements or decisions, oldest first. */
    list: async (
      environmentId: number,
      after: string | undefined,
      limit: number,
    ): Promise<CalendarAccount[]> =>
      (await database.run<AccountRow>(listAccounts, [environmentId, after ?? null, limit])).map(accountOf),
    /** The days in order, with up to two days with a version before and after them. */
    async days(
      environmentId: number,
      accountIds: readonly string[],
      { from, to, most }: CalendarRange,
    ): Promise<KnownDay[]> {
      const values = [environmentId, accountIds, from, to, most ?? null];
      return (await database.run<DayRow>(readDays, values)).map(dayOf);
    },
    /** The latest days with a version, in order. */
    latestDays: async (
      environmentId: number,
      accountIds: readonly string[],
      most: number,
    ): Promise<KnownDay[]> =>
      (await database.run<DayRow>(readLatestDays, [environmentId, accountIds, most])).map(dayOf),
    /** The `between` of the questions that a person accepted, by account. */
    async accepted(
      environmentId: number,
      accountIds: readonly string[],
      { from, to }: CalendarRange,
    ): Promise<Map<string, Set<string>>> {
      const values = [environmentId, accountIds, from, to];
      const found = new Map<string, Set<string>>();
      for (const { account_id: id, gap } of await database.run<{ account_id: string; gap: string }>(
        readAccepted,
        values,
      )) {
        found.set(id, (found.get(id) ?? new Set()).add(gap));
      }
      return found;
    },
  };
}

export type CalendarStore = ReturnType<typeof createCalendarStore>;
