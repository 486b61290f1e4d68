import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import { statementRules } from '../rules/statement-rules';
import type { VersionQuestion } from '../rules/versions/choose-version';
import type { VersionChoice } from '../rules/versions/day-version';
import {
  type AccountDay,
  allocationRow,
  type ChosenDay,
  chosenRow,
  type ClaimedDay,
  jsonOf,
  type LineAllocation,
  type StoredException,
} from './account-day';
import { allBuckets, bitsOf, bucketsIn } from './buckets';
import { createDayQueueStore, isFree } from './day-queue.store';
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

// Exceptions of a generation count when its version is chosen.
// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 statement_ids, $6 numbers, $7 kinds
const addExceptions = query(
  'add_line_exceptions',
  `
  INSERT INTO line_exceptions (environment_id, account_id, day, generation, statement_id, number, kind)
  SELECT $1::integer, $2::uuid, $3::date, $4::integer, n.statement_id, n.number, n.kind
    FROM unnest($5::uuid[], $6::integer[], $7::text[]) AS n (statement_id, number, kind)
  ON CONFLICT ON CONSTRAINT line_exceptions_pkey DO NOTHING
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 statement_ids, $6 the version,
// $7 version of the rules, $8 how it differs from the version before
const chooseVersion = query(
  'choose_day_version',
  'SELECT choose_day_version($1, $2, $3::date, $4, $5::uuid[], $6::jsonb, $7::integer, $8::jsonb) AS is_put',
  { writes: true },
);

// Reports of the day may have come, so its lines are judged again.
// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 question, $6 all buckets, $7 choices
const askAfterClose = query(
  'ask_after_close',
  `
  UPDATE account_days d
     SET question = $5::jsonb, summary = d.summary || jsonb_build_object('choices', $7::jsonb), is_changed = false,
         working = $6::bit(1024), spreading = $6::bit(1024)
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  RETURNING true AS is_put
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

/** The maximum number of exceptions in one statement. */
const exceptionsAtOnce = 5_000;

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
    /** @returns undefined if another process has the day, or it has no work */
    async claim(day: AccountDay): Promise<ClaimedDay | undefined> {
      const [row] = await database.run<
        Omit<ClaimedDay, keyof AccountDay | 'spreading' | 'working'> & { spreading: string; working: string }
      >(claimDay, [...keyOf(day), bitsOf([]), dayRules]);
      return row && { ...day, ...row, spreading: bucketsIn(row.spreading), working: bucketsIn(row.working) };
    },
    /** Stores the exceptions of a version. They count when it is chosen in this generation. */
    async addExceptions(claimed: ClaimedDay, exceptions: readonly StoredException[]): Promise<void> {
      for (let start = 0; start < exceptions.length; start += exceptionsAtOnce) {
        const some = exceptions.slice(start, start + exceptionsAtOnce);
        await database.run(addExceptions, [
          ...keyOf(claimed),
          claimed.generation,
          some.map(({ statementId }) => statementId),
          some.map(({ number }) => number),
          some.map(({ kind }) => kind),
        ]);
      }
    },
    /**
     * Stores the version of a day, and queues the lines that depend on it.
     *
     * @param chosen undefined if no statement states the day
     * @param notice the numbers of lines by which it differs from the version that it replaces
     * @returns false, and stores nothing, if the claim was lost or the day has changed
     */
    choose: (
      claimed: ClaimedDay,
      chosen: ChosenDay | undefined,
      notice?: { gone: number; added: number },
    ): Promise<boolean> =>
      isPut(chooseVersion, [
        ...keyOf(claimed),
        claimed.generation,
        chosen?.statementIds ?? [],
        chosen ? chosenRow(chosen) : '{}',
        dayRules,
        notice ? JSON.stringify(notice) : null,
      ]),
    /**
     * Keeps the version of a day of a closed month, and asks.
     *
     * @param choices the versions of the question, without that of the day
     * @returns false, and stores nothing, if the claim was lost or the day has changed
     */
    askAfterClose(claimed: ClaimedDay, question: VersionQuestion, choices: readonly VersionChoice[]) {
      const values = [JSON.stringify(question), allBuckets, jsonOf(choices)];
      return isPut(askAfterClose, [...keyOf(claimed), claimed.generation, ...values]);
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
