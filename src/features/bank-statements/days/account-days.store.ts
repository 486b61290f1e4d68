import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import { statementRules } from '../rules/statement-rules';
import { type AccountDay, allocationRow, type ClaimedDay, type LineAllocation } from './account-day';
import { bitsOf, bucketsIn } from './buckets';
import { createDayQueueStore, isFree } from './day-queue.store';
import { createDayVersionsStore } from './day-versions.store';
import { type LineOutcome, outcomeRow } from './line-outcomes';

/** If a process stops, another one continues its day after this time. */
const claimSeconds = 30;

// $1 environment_id, $2 account_id, $3 day, $4 no buckets, $5 version of the rules
const claimDay = query(
  'claim_account_day',
  `
  UPDATE account_days d
     SET generation = d.generation + 1, working = d.working | d.waiting, waiting = $4::bit(1024),
         claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.has_work AND d.rules <= $5 AND ${isFree}
  RETURNING ${membersOf('d', 'generation', 'isChanged', 'failures')}, d.spreading::text, d.working::text
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 buckets
const spreadChunk = query(
  'spread_day_chunk',
  'SELECT spread_day_chunk($1, $2, $3::date, $4, $5::bit(1024)) AS is_put',
  { writes: true },
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 buckets, $6 outcomes, $7 allocations
const putChunk = query(
  'put_day_chunk',
  'SELECT put_day_chunk($1, $2, $3::date, $4, $5::bit(1024), $6::jsonb, $7::jsonb) AS is_put',
  { writes: true },
);

// $1 environment_id, $2 account_id, $3 day, $4 generation
const extendClaim = query(
  'extend_claim_of_account_day',
  `
  UPDATE account_days d SET claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation
const finishDay = query(
  'finish_account_day',
  `
  UPDATE account_days d SET claimed_until = NULL, failures = 0, failure = NULL
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  RETURNING d.has_work
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 reason, $6 seconds to the next try
const failDay = query(
  'fail_account_day',
  `
  UPDATE account_days d
     SET failures = d.failures + 1, failure = $5,
         claimed_until = statement_timestamp() + $6::integer * interval '1 second'
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  RETURNING d.failures
  `,
);

const keyOf = ({ environmentId, accountId, day }: AccountDay) => [environmentId, accountId, day];

/**
 * The days of accounts, and the allocations of their lines. A day is worked on in generations: a
 * process that has lost its claim, or whose day has changed, stores nothing any more.
 *
 * @param dayRules the version of the rules of this process
 */
export function createAccountDaysStore(database: Pick<Database, 'run'>, dayRules = statementRules) {
  async function isPut(...given: Parameters<typeof database.run>): Promise<boolean> {
    return (await database.run<{ is_put: boolean }>(...given))[0]?.is_put ?? false;
  }
  return {
    ...createDayQueueStore(database, dayRules),
    ...createDayVersionsStore(database, dayRules),
    /** @returns undefined if another process has the day, or it has no work */
    async claim(day: AccountDay): Promise<ClaimedDay | undefined> {
      const [row] = await database.run<
        Omit<ClaimedDay, keyof AccountDay | 'spreading' | 'working'> & { spreading: string; working: string }
      >(claimDay, [...keyOf(day), bitsOf([]), dayRules]);
      return row && { ...day, ...row, spreading: bucketsIn(row.spreading), working: bucketsIn(row.working) };
    },
    /** Keeps the claim while the versions of a day are compared. */
    async extend(claimed: ClaimedDay): Promise<void> {
      await database.run(extendClaim, [...keyOf(claimed), claimed.generation]);
    },
    /**
     * Queues the lines of other days that have the money of the lines in these buckets.
     *
     * @returns false, and stores nothing, if the claim was lost or the day has changed
     */
    spread: (claimed: ClaimedDay, buckets: readonly number[]): Promise<boolean> =>
      isPut(spreadChunk, [...keyOf(claimed), claimed.generation, bitsOf(buckets)]),
    /**
     * Replaces the outcomes and allocations of these buckets, and changes the money of their
     * contributions.
     *
     * @returns false, and stores nothing, if the claim was lost or the day has changed
     */
    putChunk: (
      claimed: ClaimedDay,
      buckets: readonly number[],
      outcomes: readonly LineOutcome[],
      allocations: readonly LineAllocation[],
    ): Promise<boolean> =>
      isPut(putChunk, [
        ...keyOf(claimed),
        claimed.generation,
        bitsOf(buckets),
        JSON.stringify(outcomes.map(outcomeRow)),
        JSON.stringify(allocations.map(allocationRow)),
      ]),
    /** Ends the claim. @returns whether the day has work again */
    async finish(claimed: ClaimedDay): Promise<boolean> {
      const [row] = await database.run<{ has_work: boolean }>(finishDay, [
        ...keyOf(claimed),
        claimed.generation,
      ]);
      return row?.has_work ?? false;
    },
    /** Ends the claim after a failure. Nobody works on the day until the next attempt. */
    async fail(claimed: ClaimedDay, reason: string, waitSeconds: number): Promise<void> {
      await database.run(failDay, [...keyOf(claimed), claimed.generation, reason, waitSeconds]);
    },
  };
}

export type AccountDaysStore = ReturnType<typeof createAccountDaysStore>;
