import type { Database } from '../../db/pool/database';
import { type Finding, finding, type Findings } from '../../operator/cli/doctor/finding';
import { statementRules } from './rules/statement-rules';

export interface StatementsState {
  /** Days that were compared by newer rules. This version compares none of them again. */
  newerDays: number;
  /** Days that could not be compared three times in a row. */
  failedDays: number;
  /** Days of more than a month ago with a question about their version. */
  oldQuestions: number;
  /** Files that nobody has read for an hour. */
  lateFiles: number;
}

/** The files, days and questions of all environments that need attention. */
export async function readStatementsState(
  database: Pick<Database, 'runUnprepared'>,
  rules = statementRules,
): Promise<StatementsState> {
  const [days] = await database.runUnprepared<Omit<StatementsState, 'lateFiles'>>(
    `SELECT (count(*) FILTER (WHERE d.rules > $1))::integer AS "newerDays",
            (count(*) FILTER (WHERE d.failures >= 3))::integer AS "failedDays",
            (count(*) FILTER (WHERE d.question IS NOT NULL AND d.day < current_date - 31))::integer AS "oldQuestions"
       FROM account_days d`,
    [rules],
  );
  const [files] = await database.runUnprepared<{ late: number }>(
    `SELECT count(*)::integer AS late FROM statement_uploads u
      WHERE u.state IN ('received', 'reading') AND u.received_at < now() - interval '1 hour'`,
    [],
  );
  return { newerDays: 0, failedDays: 0, oldQuestions: 0, ...days, lateFiles: files?.late ?? 0 };
}

const work = 'bank statements: work';
const questions = 'bank statements: questions';

export function judgeStatements(state: StatementsState): Finding[] {
  const { newerDays, failedDays, oldQuestions, lateFiles } = state;
  const late = [
    ...(failedDays > 0 ? [`${failedDays} days of accounts could not be compared`] : []),
    ...(lateFiles > 0 ? [`${lateFiles} files were not read within an hour`] : []),
  ];
  return [
    newerDays > 0
      ? finding(
          work,
          'problem',
          `a newer version has compared ${newerDays} days of accounts, so this version compares none of them: start the newer version, or use it to revert its migrations`,
        )
      : late.length > 0
        ? finding(work, 'warning', `${late.join(', and ')}: read the log of the service`)
        : finding(work, 'ok', 'no file and no day waits for long'),
    oldQuestions > 0
      ? finding(
          questions,
          'warning',
          `${oldQuestions} days of more than a month ago have a question: list them with statements questions, and ask the company or bank to answer`,
        )
      : finding(questions, 'ok', 'none is about a day of more than a month ago'),
  ];
}

/** Whether bank statements are read and compared, and questions answered. */
export const statementFindings: Findings = {
  checks: [work, questions],
  examine: async ({ read }) => judgeStatements(await read((database) => readStatementsState(database))),
};
