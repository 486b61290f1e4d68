import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { AccountDay } from '../days/account-day';
import type { AnswerOutcome, DayAnswer } from './day-answer';

// $1 environment_id, $2 account_id, $3 day, $4 answer, $5 who decided
const answerDay = query('answer_day', 'SELECT answer_day($1, $2, $3::date, $4::jsonb, $5) AS outcome', {
  writes: true,
});

// A statement of several days asks the same question about each of them.
// $1 environment_id, $2 account_id, $3 first day, $4 last day
const daysAsked = query(
  'list_days_with_question',
  `
  SELECT d.day::text FROM account_days d
   WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day BETWEEN $3::date AND $4::date
     AND d.day <> $3::date AND d.question = (
       SELECT f.question FROM account_days f
        WHERE f.environment_id = $1 AND f.account_id = $2 AND f.day = $3::date)
   ORDER BY d.day
  `,
);

// $1 environment_id, $2 account_id, $3 first day, $4 last day
const daysAnswered = query(
  'list_days_with_answers',
  `
  SELECT DISTINCT c.day::text FROM day_choices c
   WHERE c.environment_id = $1 AND c.account_id = $2 AND c.day > $3::date AND c.day <= $4::date
   ORDER BY c.day::text
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
    /** The later days up to `to` that an answer to the question of this day is about. */
    async laterDays({ environmentId, accountId, day }: AccountDay, to: string, { kind }: DayAnswer) {
      const days = kind === 'undo' ? daysAnswered : daysAsked;
      const rows = await database.run<{ day: string }>(days, [environmentId, accountId, day, to]);
      return rows.map((row) => row.day);
    },
    /** Newest first. */
    list: ({ environmentId, accountId, day }: AccountDay): Promise<RecordedAnswer[]> =>
      database.run(listAnswers, [environmentId, accountId, day]),
  };
}

export type AnswersStore = ReturnType<typeof createAnswersStore>;
