import type { Database } from '../../../db/pool/database';
import { allEnvironments, type IsRead, query } from '../../../db/query';
import type { AccountDay } from './account-day';

/** No process works on the day `d`, and it does not wait after a failure. */
export const isFree = '(d.claimed_until IS NULL OR d.claimed_until < statement_timestamp())';

// $1 environment_id, $2 account_id, $3 days, $4 buckets
const markDays = query(
  'mark_account_days',
  `
  INSERT INTO account_days AS d (environment_id, account_id, day, waiting)
  SELECT $1::integer, $2::uuid, n.day, $4::bit(1024) FROM unnest($3::date[]) AS n (day) ORDER BY n.day
  ON CONFLICT ON CONSTRAINT account_days_pkey DO UPDATE SET waiting = d.waiting | excluded.waiting
  `,
);

// One day of each environment. The order is random, so that each environment has the same chance.
// Only a process with the newest rules compares a day.
// $1 maximum number of rows, $2 version of the rules
const daysWithWorkText = (isRead: IsRead): string => `
  SELECT q.environment_id AS "environmentId", q.account_id AS "accountId", q.day::text
    FROM (
      SELECT DISTINCT ON (d.environment_id) d.environment_id, d.account_id, d.day
        FROM account_days d
       WHERE d.has_work AND d.rules <= $2 AND ${isFree} ${isRead('d')}
       ORDER BY d.environment_id, d.claimed_until NULLS FIRST, d.day
    ) q
   ORDER BY random() LIMIT $1::integer
  `;

const daysWithWork = query('list_account_days_with_work', daysWithWorkText(allEnvironments), {
  textOf: daysWithWorkText,
});

// $1 maximum number of rows, $2 version of the rules
const outdatedDaysText = (isRead: IsRead): string => `
  SELECT d.environment_id AS "environmentId", d.account_id AS "accountId", d.day::text
    FROM account_days d
   WHERE d.rules < $2 AND NOT d.is_changed ${isRead('d')}
   LIMIT $1::integer
  `;

const outdatedDays = query('list_outdated_days', outdatedDaysText(allEnvironments), {
  textOf: outdatedDaysText,
});

// $1 environment_id, $2 account_id, $3 day, $4 version of the rules
const queueOutdated = query(
  'queue_outdated_day',
  `
  UPDATE account_days d SET is_changed = true
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.rules < $4
  `,
);

// $1 environment_id, $2 references
const markReferences = query(
  'mark_days_of_references',
  'SELECT mark_days_of_references($1, $2::text[]) AS is_put',
  { writes: true },
);

/**
 * The days whose lines are compared again.
 *
 * @param dayRules the version of the rules of this process
 */
export function createDayQueueStore(database: Pick<Database, 'run'>, dayRules: number) {
  return {
    /** Queues buckets of these days of an account. Creates days that are new. */
    async mark(environmentId: number, accountId: string, days: readonly string[], bits: string) {
      await database.run(markDays, [environmentId, accountId, days, bits]);
    },
    /** Queues the lines that name one of these references. */
    async markReferences(environmentId: number, references: readonly string[]) {
      await database.run(markReferences, [environmentId, references]);
    },
    /** Days that no process works on, at most one of each environment. */
    withWork: (most: number): Promise<AccountDay[]> => database.run(daysWithWork, [most, dayRules]),
    /**
     * Queues days that were compared by earlier rules.
     *
     * @returns false if there are none
     */
    async queueOutdated(most: number): Promise<boolean> {
      const outdated = await database.run<AccountDay>(outdatedDays, [most, dayRules]);
      for (const day of outdated)
        await database.run(queueOutdated, [day.environmentId, day.accountId, day.day, dayRules]);
      return outdated.length > 0;
    },
  };
}
