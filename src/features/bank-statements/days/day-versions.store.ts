import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { VersionQuestion } from '../rules/versions/choose-version';
import type { VersionChoice } from '../rules/versions/day-version';
import {
  type AccountDay,
  type ChosenDay,
  chosenRow,
  type ClaimedDay,
  jsonOf,
  type StoredException,
} from './account-day';
import { allBuckets } from './buckets';

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

// $1 environment_id, $2 account_id, $3 day, $4 generation, $5 question or null, $6 all buckets,
// $7 choices, $8 version of the rules
const keepClosed = query(
  'keep_closed_version',
  `
  UPDATE account_days d
     SET question = $5::jsonb, summary = d.summary || jsonb_build_object('choices', $7::jsonb), is_changed = false,
         working = $6::bit(1024), spreading = $6::bit(1024), rules = $8
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date AND d.generation = $4
  RETURNING true AS is_put
  `,
);

/** The maximum number of exceptions in one statement. */
const exceptionsAtOnce = 5_000;

const keyOf = ({ environmentId, accountId, day }: AccountDay) => [environmentId, accountId, day];

/**
 * Stores the version of a day.
 *
 * @param dayRules the version of the rules of this process
 */
export function createDayVersionsStore(database: Pick<Database, 'run'>, dayRules: number) {
  async function isPut(...given: Parameters<typeof database.run>): Promise<boolean> {
    return (await database.run<{ is_put: boolean }>(...given))[0]?.is_put ?? false;
  }
  return {
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
     * @param notice the numbers of lines by which it differs from the version that it replaces.
     *   The feed gets an event about them
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
        notice ? JSON.stringify({ ...notice, event_id: uuidv7() }) : null,
      ]),
    /**
     * Keeps the version of a day of a closed month, and asks if there is a question.
     *
     * @param choices the versions of the question, without that of the day
     * @returns false, and stores nothing, if the claim was lost or the day has changed
     */
    keepClosed: (
      claimed: ClaimedDay,
      question: VersionQuestion | null,
      choices: readonly VersionChoice[],
    ): Promise<boolean> =>
      isPut(keepClosed, [
        ...[...keyOf(claimed), claimed.generation],
        ...[question && JSON.stringify(question), allBuckets, jsonOf(choices), dayRules],
      ]),
  };
}
