import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { AccountDay } from '../days/account-day';
import type { AnswerOutcome, DayAnswer } from './day-answer';

// $1 environment_id, $2 account_id, $3 day, $4 answer, $5 who decided
const answerDay = query('answer_day', 'SELECT answer_day($1, $2, $3::date, $4::jsonb, $5) AS outcome', {
  writes: true,
});

// One answer has one time on all of its days. $1 environment_id, $2 account_id, $3 day
const daysOfAnswer = query(
  'list_days_of_answer',
  `
  SELECT DISTINCT o.day::text FROM day_choices o
   WHERE o.environment_id = $1 AND o.account_id = $2 AND o.decided_at = (
     SELECT c.decided_at FROM day_choices c
      WHERE c.environment_id = $1 AND c.account_id = $2 AND c.day = $3::date
      ORDER BY c.number DESC LIMIT 1)
   ORDER BY o.day::text
  `,
);

// Newest first. $1 environment_id, $2 account_id, $3 day
const listAnswers = query(
  'list_day_answers',
  `
  SELECT c.number, c.kind, c.version, c.gap, c.among, c.reason, c.decided_by, c.decided_at FROM day_choices c
   WHERE c.environment_id = $1 AND c.account_id = $2 AND c.day = $3::date
   ORDER BY c.number DESC LIMIT 100
  `,
);

/** An answer that was recorded. */
export interface RecordedAnswer {
  number: number;
  kind: DayAnswer['kind'];
  version: string | null;
  gap: string | null;
  among: string[];
  reason: string;
  decided_by: string;
  decided_at: Date;
}

export function createAnswersStore(database: Pick<Database, 'run'>) {
  return {
    async answer(
      { environmentId, accountId, day }: AccountDay,
      decidedBy: string,
      answer: DayAnswer,
    ): Promise<AnswerOutcome> {
      const values = [environmentId, accountId, day, JSON.stringify(answer), decidedBy];
      const [row] = await database.run<{ outcome: AnswerOutcome }>(answerDay, values);
      return row?.outcome ?? 'no_day';
    },
    /** The days that the newest answer about a day is about. */
    async daysOfNewest({ environmentId, accountId, day }: AccountDay): Promise<string[]> {
      const rows = await database.run<{ day: string }>(daysOfAnswer, [environmentId, accountId, day]);
      return rows.map((row) => row.day);
    },
    /** Newest first. */
    list: ({ environmentId, accountId, day }: AccountDay): Promise<RecordedAnswer[]> =>
      database.run(listAnswers, [environmentId, accountId, day]),
  };
}

export type AnswersStore = ReturnType<typeof createAnswersStore>;
