import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { dayMs } from '../../shared/clock';
import { latestDays } from './account-day.field';
import type { DayStatement, ToldDays } from './account-days';
import type { DailyCents } from './matching/daily-cents';

// Statements without a period have the days of their entries.
const firstDay = `COALESCE(s.period_from, DATE '1970-01-01' + (s.starts_at_ms / ${dayMs})::integer)`;
const lastDay = `COALESCE(s.period_to, DATE '1970-01-01' + ((s.ends_at_ms - 1) / ${dayMs})::integer)`;

// A final statement tells an entry of its period, also if the entry is dated outside it.
const dayOfLine = `
  CASE WHEN t.kind = 'final' AND t.period_from IS NOT NULL
       THEN LEAST(GREATEST(COALESCE(s.booking_date, t.period_to), t.period_from), t.period_to)
       ELSE s.booking_date END`;

// The money that a position counts may exceed the entry: a charge that the bank did not deduct, or
// the charge of a return. A charge explains the difference only up to the expected amount.
const excess = `
  COALESCE(a.allocated - LEAST(
    GREATEST(a.expected, e.amount_cents - CASE WHEN a.kind = 'return' THEN e.charges_cents ELSE 0 END),
    e.amount_cents + CASE WHEN a.kind = 'return' THEN 0 ELSE e.charges_cents END), 0)`;

/** A page ends before the statements that would exceed this number, but has one day. */
const entriesOfPage = 50_000;

// What the days of an account need: the statements, and the booked entries that count. The day of
// an entry is that of the most exact final statement that states it. A voided file counts until its
// entries have been compared again. OFFSET 0 forces a lookup of each key, as in
// `entry-basis.query.ts`.
// $1 environment_id, $2 account_id, $3 the first day and $4 the day after the last day, or null,
// $5 entriesOfPage
const readDays = query(
  'read_account_days',
  `
  WITH asked AS MATERIALIZED (
    SELECT n.account_id, n.ending, n.name, COALESCE($3::date, latest.day - ${latestDays - 1}) AS first_day,
           COALESCE($4::date - 1, latest.day) AS last_day
      FROM statement_accounts n
     CROSS JOIN LATERAL (
       SELECT max(s.period_to) AS day FROM statements s
         JOIN statement_files f ON f.environment_id = $1 AND f.file_id = s.file_id
        WHERE s.environment_id = $1 AND s.account_id = n.account_id AND s.kind = 'final'
          AND f.state <> 'receiving' AND f.voided_at IS NULL
     ) AS latest
     WHERE n.environment_id = $1 AND n.account_id = $2
  ), stated AS MATERIALIZED (
    SELECT s.account_id, s.file_id, s.number, f.format, s.kind, s.period_from, s.period_to, ${firstDay} AS first_day,
           ${lastDay} AS last_day, s.starts_at_ms, s.ends_at_ms, s.made_at, (f.received_at AT TIME ZONE 'UTC')::date AS received_on,
           s.opening_cents, s.closing_cents, s.daily_cents, COALESCE(s.currency, 'USD') = 'USD' AS is_in_dollars,
           f.state = 'matched' AS is_compared, f.voided_at IS NOT NULL AS is_voided,
           sum(s.entry_count) OVER (ORDER BY ${firstDay}) AS entries
      FROM asked q
      JOIN statements s ON s.environment_id = $1 AND s.account_id = q.account_id
      JOIN statement_files f ON f.environment_id = $1 AND f.file_id = s.file_id
     WHERE f.state <> 'receiving' AND (f.voided_at IS NULL OR f.state = 'stored')
       AND ${firstDay} <= q.last_day AND ${lastDay} >= q.first_day
  ), page AS MATERIALIZED (
    SELECT GREATEST(q.first_day, LEAST(q.last_day, (
             SELECT min(t.first_day) - 1 FROM stated t WHERE t.entries > $5::integer))) AS last_day
      FROM asked q
  ), told AS MATERIALIZED (
    SELECT t.* FROM stated t JOIN page p ON t.first_day <= p.last_day
  ), lines AS MATERIALIZED (
    SELECT t.account_id, s.class_key, s.booking_date,
           (array_agg(${dayOfLine} ORDER BY t.kind <> 'final', t.last_day - t.first_day, t.made_at DESC NULLS LAST, t.file_id))[1] AS day
      FROM (SELECT DISTINCT u.file_id FROM told u WHERE NOT u.is_voided) AS f
     CROSS JOIN LATERAL (
       SELECT o.file_id, o.statement_number, o.class_key, o.booking_date FROM entry_sources o
        WHERE o.environment_id = $1 AND o.file_id = f.file_id AND o.problem IS DISTINCT FROM 'not_booked' OFFSET 0
     ) AS s
      JOIN told t ON t.file_id = s.file_id AND t.number = s.statement_number
     GROUP BY t.account_id, s.class_key, s.booking_date
  ), counted AS MATERIALIZED (
    SELECT l.account_id, l.day,
           sum((e.amount_cents + ${excess}) * CASE WHEN e.direction = 'debit' THEN -1 ELSE 1 END) AS cents
      FROM lines l
     CROSS JOIN LATERAL (
       SELECT o.entry_id, o.booking_date, o.standing, o.direction, o.currency, o.amount_cents, o.charges_cents
         FROM statement_entries o
        WHERE o.environment_id = $1 AND o.class_key = l.class_key OFFSET 0
     ) AS e
      LEFT JOIN LATERAL (
       SELECT sum(o.amount_cents) AS allocated, sum(o.expected_cents) AS expected, min(o.kind) AS kind FROM allocations o
        WHERE o.environment_id = $1 AND o.entry_id = e.entry_id AND o.state = 'confirmed' OFFSET 0
     ) AS a ON true
     WHERE l.day IS NOT NULL AND e.booking_date IS NOT DISTINCT FROM l.booking_date AND e.currency = 'USD'
       AND (e.standing = 'confirmed' OR a.allocated IS NOT NULL)
     GROUP BY l.account_id, l.day
  )
  SELECT q.account_id, q.ending, q.name, q.first_day::text, p.last_day::text,
         CASE WHEN p.last_day < q.last_day THEN (p.last_day + 1)::text END AS next_day,
         COALESCE((
           SELECT jsonb_agg(jsonb_build_object(
                    'fileId', t.file_id, 'format', t.format, 'isFinal', t.kind = 'final' AND NOT t.is_voided,
                    'periodFrom', t.period_from, 'periodTo', t.period_to, 'firstDay', t.first_day, 'lastDay', t.last_day,
                    'startsAtMs', t.starts_at_ms, 'endsAtMs', t.ends_at_ms, 'madeAt', t.made_at,
                    'receivedOn', t.received_on, 'openingCents', t.opening_cents::text, 'closingCents', t.closing_cents::text,
                    'dailyCents', t.daily_cents, 'isInDollars', t.is_in_dollars, 'isCompared', t.is_compared)
                  ORDER BY t.file_id, t.number)
             FROM told t WHERE t.account_id = q.account_id), '[]') AS statements,
         COALESCE((
           SELECT jsonb_object_agg(c.day, c.cents::text) FROM counted c WHERE c.account_id = q.account_id), '{}') AS counted
    FROM asked q
   CROSS JOIN page p
  `,
);

type StatementRow = Omit<DayStatement, 'openingCents' | 'closingCents'> & {
  openingCents: string | null;
  closingCents: string | null;
};

interface DaysRow {
  account_id: string;
  ending: string | null;
  name: string | null;
  first_day: string | null;
  last_day: string | null;
  next_day: string | null;
  statements: StatementRow[];
  counted: DailyCents;
}

const centsOrNull = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** Days from `from` to before `to`. By default, the latest days of the account. */
export interface DaysRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Some days of a range, and the first of the others. */
export interface DaysPage extends ToldDays {
  next: string | null;
}

export type AccountDaysStore = ReturnType<typeof createAccountDaysStore>;

export function createAccountDaysStore(database: Pick<Database, 'run'>, most = entriesOfPage) {
  return {
    /**
     * What is known about the first days of a range: as many as one query can compare.
     *
     * @returns undefined if the environment has no such account
     */
    async read(
      environmentId: number,
      accountId: string,
      { from, to }: DaysRange,
    ): Promise<DaysPage | undefined> {
      const parameters = [environmentId, accountId, from ?? null, to ?? null, most];
      const [row] = await database.run<DaysRow>(readDays, parameters);
      return (
        row && {
          accountId: row.account_id,
          ending: row.ending,
          name: row.name,
          firstDay: row.first_day,
          lastDay: row.last_day,
          next: row.next_day,
          statements: row.statements.map(({ openingCents, closingCents, ...statement }) => ({
            ...statement,
            openingCents: centsOrNull(openingCents),
            closingCents: centsOrNull(closingCents),
          })),
          countedCents: row.counted,
        }
      );
    },
  };
}
