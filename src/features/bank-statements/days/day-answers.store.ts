import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { ComparedLine } from '../rules/reading/statement';
import type { Answers, VersionAnswer } from '../rules/versions/choose-version';
import { comparedLineOf, type ComparedLineRow } from '../statements/statement-rows';
import type { AccountDay } from './account-day';

/** SQL: the answer `c` was not taken back. `undo` takes back all earlier answers of its day. */
export const isNotUndone = `NOT EXISTS (
                SELECT FROM day_choices u
                 WHERE u.environment_id = c.environment_id AND u.account_id = c.account_id AND u.day = c.day
                   AND u.kind = 'undo' AND u.number > c.number)`;

// $1 environment_id, $2 account_id, $3 day
const readAnswers = query(
  'read_day_answers',
  `
  SELECT d.version, d.statement_ids AS "statementIds", d.opening_cents AS "openingCents",
         d.closing_cents AS "closingCents", a.remembered_answer AS remembered,
         EXISTS (SELECT FROM closed_months m
                  WHERE m.environment_id = $1 AND m.month = date_trunc('month', $3::date)::date) AS "isClosed", (
           SELECT b.closing_cents FROM account_days b
            WHERE b.environment_id = $1 AND b.account_id = $2 AND b.day < $3::date AND b.version IS NOT NULL
              AND NOT EXISTS (SELECT FROM line_outcomes o
                               WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day = $3::date
                                 AND o.bucket BETWEEN 0 AND 1023 AND o.state = 'counted')
            ORDER BY b.day DESC LIMIT 1
         ) AS "stillCents", (
           SELECT jsonb_agg(jsonb_build_object('kind', c.kind, 'version', c.version, 'among', c.among) ORDER BY c.number)
             FROM day_choices c
            WHERE c.environment_id = $1 AND c.account_id = $2 AND c.day = $3::date
              AND c.kind IN ('version', 'all_lines', 'use_anyway')
              AND ${isNotUndone}
         ) AS answers
    FROM account_days d
    JOIN statement_accounts a ON a.environment_id = d.environment_id AND a.account_id = d.account_id
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date
  `,
);

// $1 environment_id, $2 account_id, $3 day
const readLinesBefore = query(
  'read_lines_of_version',
  `
  SELECT l.statement_id, l.number, l.direction, l.amount_cents, l.reference, l.ids, l.problem, l.is_part, l.content
    FROM account_days d
    JOIN statement_lines l ON l.environment_id = d.environment_id AND l.account_id = d.account_id AND l.day = d.day
     AND l.statement_id = ANY (d.statement_ids)
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date
     AND NOT EXISTS (
       SELECT FROM line_exceptions x
        WHERE x.environment_id = $1 AND x.account_id = $2 AND x.day = $3::date AND x.generation = d.chosen_in
          AND x.statement_id = l.statement_id AND x.number = l.number AND x.kind = 'repeated')
   ORDER BY l.statement_id, l.number
  `,
);

/** What persons answered about a day, and the version that it has so far. */
export interface DayBefore {
  version: string | null;
  statementIds: string[];
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** The closing balance before a day on which no line counts. Null if it is unknown. */
  stillCents: bigint | null;
  isClosed: boolean;
  answers: Answers;
}

export function createDayAnswersStore(database: Pick<Database, 'run'>) {
  return {
    async read({ environmentId, accountId, day }: AccountDay): Promise<DayBefore> {
      const [row] = await database.run<{
        version: string | null;
        statementIds: string[];
        openingCents: string | null;
        closingCents: string | null;
        stillCents: string | null;
        remembered: Answers['remembered'];
        isClosed: boolean;
        answers: VersionAnswer[] | null;
      }>(readAnswers, [environmentId, accountId, day]);
      const { version = null, statementIds = [], isClosed = false, remembered = null, answers } = row ?? {};
      const centsOf = (text: string | null | undefined) => (typeof text === 'string' ? BigInt(text) : null);
      return {
        ...{ version, statementIds, isClosed },
        openingCents: centsOf(row?.openingCents),
        closingCents: centsOf(row?.closingCents),
        stillCents: centsOf(row?.stillCents),
        answers: { remembered, day: answers ?? [] },
      };
    },
    /** The lines of the version that the day has so far. */
    async linesBefore({ environmentId, accountId, day }: AccountDay): Promise<ComparedLine[]> {
      const rows = await database.run<ComparedLineRow>(readLinesBefore, [environmentId, accountId, day]);
      return rows.map(comparedLineOf);
    },
  };
}

export type DayAnswersStore = ReturnType<typeof createDayAnswersStore>;
