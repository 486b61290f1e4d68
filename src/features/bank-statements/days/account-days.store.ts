import type { Database } from '../../../db/pool/database';
import { allEnvironments, type IsRead, membersOf, query } from '../../../db/query';
import { bitsOf, bucketsIn } from './buckets';

/** A day of an account. */
export interface AccountDay {
  environmentId: number;
  accountId: string;
  /** YYYY-MM-DD */
  day: string;
}

/** A day that this process works on, until another one takes over the claim. */
export interface ClaimedDay extends AccountDay {
  generation: number;
  /** The buckets of lines to compare. */
  buckets: number[];
  /** The statements that count so far, in order. */
  statementIds: string[];
}

/** What the statements say about a day. */
export interface DayVersion {
  /** The statements that count, in order. */
  statementIds: readonly string[];
  /** Other statements, whose additional lines are proposed. */
  proposedStatementIds: readonly string[];
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** What a person must decide; null if nothing is open. */
  question: object | null;
}

/** The part of a line that belongs to a contribution. Amounts are in cents, never negative. */
export interface LineAllocation {
  bucket: number;
  lineKey: string;
  transactionId: string;
  transactionEnvironmentId: number;
  kind: 'payment' | 'return';
  amountCents: bigint;
  chargesCents: bigint;
  expectedCents: bigint;
  confidence: 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision';
  state: 'proposed' | 'confirmed';
}

/** If a process stops, another one continues its day after this time. */
const claimSeconds = 30;

const isFree = '(d.claimed_until IS NULL OR d.claimed_until < statement_timestamp())';

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
// $1 maximum number of rows
const daysWithWorkText = (isRead: IsRead): string => `
  SELECT q.environment_id AS "environmentId", q.account_id AS "accountId", q.day::text
    FROM (
      SELECT DISTINCT ON (d.environment_id) d.environment_id, d.account_id, d.day
        FROM account_days d
       WHERE d.has_work AND ${isFree} ${isRead('d')}
       ORDER BY d.environment_id, d.claimed_until NULLS FIRST, d.day
    ) q
   ORDER BY random() LIMIT $1::integer
  `;

const daysWithWork = query('list_account_days_with_work', daysWithWorkText(allEnvironments), {
  textOf: daysWithWorkText,
});

// $1 environment_id, $2 account_id, $3 day, $4 no buckets
const claimDay = query(
  'claim_account_day',
  `
  UPDATE account_days d
     SET generation = d.generation + 1, working = d.working | d.waiting, waiting = $4::bit(1024),
         claimed_until = statement_timestamp() + interval '${claimSeconds} seconds'
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.has_work AND ${isFree}
  RETURNING d.generation, d.working::text, ${membersOf('d', 'statementIds')}
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 to $9 as in DayVersion
const chooseVersion = query(
  'choose_day_version',
  `
  UPDATE account_days d
     SET statement_ids = $5::uuid[], proposed_statement_ids = $6::uuid[], opening_cents = $7, closing_cents = $8,
         question = $9::jsonb
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  RETURNING d.day
  `,
);

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 buckets, $6 allocations
const putChunk = query(
  'put_day_chunk',
  'SELECT put_day_chunk($1, $2, $3::date, $4, $5::bit(1024), $6::jsonb) AS is_put',
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

const allocationRow = (allocation: LineAllocation) => ({
  bucket: allocation.bucket,
  line_key: allocation.lineKey,
  transaction_id: allocation.transactionId,
  transaction_environment_id: allocation.transactionEnvironmentId,
  kind: allocation.kind,
  amount_cents: allocation.amountCents.toString(),
  charges_cents: allocation.chargesCents.toString(),
  expected_cents: allocation.expectedCents.toString(),
  confidence: allocation.confidence,
  state: allocation.state,
});

/**
 * The days of accounts, and the allocations of their lines. A day is worked on in generations: a
 * process that has lost its claim stores nothing any more.
 */
export function createAccountDaysStore(database: Pick<Database, 'run'>) {
  return {
    /** Queues buckets of these days of an account. Creates days that are new. */
    async mark(environmentId: number, accountId: string, days: readonly string[], bits: string) {
      await database.run(markDays, [environmentId, accountId, days, bits]);
    },
    /** Days that no process works on, at most one of each environment. */
    withWork: (most: number): Promise<AccountDay[]> => database.run(daysWithWork, [most]),
    /** @returns undefined if another process has the day, or it has no work */
    async claim(day: AccountDay): Promise<ClaimedDay | undefined> {
      const [row] = await database.run<{ generation: number; working: string; statementIds: string[] }>(
        claimDay,
        [...keyOf(day), bitsOf([])],
      );
      return (
        row && {
          ...day,
          generation: row.generation,
          buckets: bucketsIn(row.working),
          statementIds: row.statementIds,
        }
      );
    },
    /** @returns false, and stores nothing, if another process has taken over the day */
    async choose(claimed: ClaimedDay, version: DayVersion): Promise<boolean> {
      const rows = await database.run(chooseVersion, [
        ...keyOf(claimed),
        claimed.generation,
        version.statementIds,
        version.proposedStatementIds,
        version.openingCents?.toString() ?? null,
        version.closingCents?.toString() ?? null,
        version.question && JSON.stringify(version.question),
      ]);
      return rows.length > 0;
    },
    /**
     * Replaces the allocations of these buckets, and changes the money of their contributions.
     *
     * @returns false, and stores nothing, if another process has taken over the day
     */
    async putChunk(
      claimed: ClaimedDay,
      buckets: readonly number[],
      allocations: readonly LineAllocation[],
    ): Promise<boolean> {
      const [row] = await database.run<{ is_put: boolean }>(putChunk, [
        ...keyOf(claimed),
        claimed.generation,
        bitsOf(buckets),
        JSON.stringify(allocations.map(allocationRow)),
      ]);
      return row?.is_put ?? false;
    },
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
