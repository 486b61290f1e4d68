import { type Command, Option } from 'commander';

import type { CommandIo } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import { dayIn, parseDay, readCommand, withOrderedRange } from '../../../operator/cli/options';
import { type Columns, printJson, printTable } from '../../../operator/cli/output';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { CalendarAccount } from '../reporting/days/calendar.store';
import type { DayBody, QuestionBody } from '../reporting/days/days.fields';
import { presentDays, presentQuestion } from '../reporting/days/days.presenter';
import type { DaysService } from '../reporting/days/days.service';
import type { QuestionPlace, QuestionsService } from '../reporting/days/questions.service';
import { previousDay } from '../rules/days/banking-days';
import { runRead } from './statements.operations';
import { withUploader } from './uploader';

interface DaysOptions {
  json?: boolean;
  from: string;
  to: string;
  all?: boolean;
}

const isCovered = ({ state }: DayBody): boolean => state === 'covered';

const dayColumns: Columns<DayBody> = [
  ['ACCOUNT', (day) => day.account_ending ?? day.account_name, 'whole'],
  ['DAY', ({ day }) => day, 'whole'],
  ['STATE', ({ state }) => state, 'whole', (day) => (isCovered(day) ? undefined : 'red')],
  ['OPENING', (day) => day.opening_balance, 'whole'],
  ['CHANGE', (day) => day.change, 'whole'],
  ['CLOSING', (day) => day.closing_balance, 'whole'],
  ['REASON', ({ reason }) => reason, 'wrap'],
  [
    'FILE_ID',
    ({ statements }) => [...new Set(statements.flatMap((one) => (one.is_used ? one.file_id : [])))],
    'whole',
  ],
];

async function daysOf(
  days: DaysService,
  environmentId: number,
  account: CalendarAccount,
  { from, to }: DaysOptions,
): Promise<DayBody[]> {
  const found: DayBody[] = [];
  for (let start: string | null = from; start !== null;) {
    const page = await days.days(environmentId, account, { from: start, to: previousDay(to) });
    found.push(...presentDays(account, page));
    start = page.next;
  }
  return found;
}

export function daysCommand(io: CommandIo): Command {
  return withOrderedRange(
    withUploader(
      readCommand(
        'days',
        'list the days of accounts that are open (a question) or missing (no statement), with balances and sources. Exit code 3: such a day exists',
      ),
    ),
  )
    .argument('[account]', 'only this account: its account_id, ending or name')
    .addOption(new Option('--from <day>', 'first day').argParser(parseDay).default(dayIn(-31), '31 days ago'))
    .addOption(
      new Option('--to <day>', 'first day after the range').argParser(parseDay).default(dayIn(0), 'today'),
    )
    .option('--all', 'list the covered days too')
    .action((kind: EnvironmentKind, company: string, named: string | undefined, options: DaysOptions) =>
      runRead(
        io,
        async ({ environmentOf, accounts, days }) => {
          const environmentId = await environmentOf({ company, kind });
          const listed =
            named === undefined
              ? await accounts.list(environmentId)
              : [await accounts.find(environmentId, named)];
          const found: DayBody[] = [];
          for (const account of listed) {
            const ofAccount = await daysOf(days, environmentId, account, options);
            found.push(...ofAccount.filter((day) => options.all || !isCovered(day)));
          }
          return found;
        },
        (found) => {
          if (!found.every(isCovered)) io.exitCode = exitCodes.found;
          if (options.json) printJson(io, { days: found });
          else printTable(io, dayColumns, found, options.all ? 'No days found.' : 'All days are covered.');
        },
      ),
    );
}

const questionColumns: Columns<QuestionBody> = [
  ['ACCOUNT', (question) => question.account_ending ?? question.account_name, 'whole'],
  ['FROM', ({ from }) => from, 'whole'],
  ['TO', ({ to }) => to, 'whole'],
  ['KIND', ({ kind }) => kind, 'whole'],
  ['CLOSING_BEFORE', (question) => question.closing_before, 'whole'],
  ['OPENING_AFTER', (question) => question.opening_after, 'whole'],
  ['QUESTION', ({ text }) => text, 'wrap'],
];

async function allQuestions(questions: QuestionsService, environmentId: number): Promise<QuestionBody[]> {
  const found: QuestionBody[] = [];
  let place: QuestionPlace | undefined;
  do {
    const page = await questions.list(environmentId, place);
    found.push(...page.questions.map((one) => presentQuestion(one, one.account, page.statements)));
    place = page.next ?? undefined;
  } while (place);
  return found;
}

export function questionsCommand(io: CommandIo): Command {
  return withUploader(
    readCommand(
      'questions',
      'list the open questions about days of accounts. A person at the company or bank answers them. Exit code 3: there is one',
    ),
  ).action((kind: EnvironmentKind, company: string, { json }: { json?: boolean }) =>
    runRead(
      io,
      async ({ environmentOf, questions }) => allQuestions(questions, await environmentOf({ company, kind })),
      (found) => {
        if (found.length > 0) io.exitCode = exitCodes.found;
        if (json) printJson(io, { questions: found });
        else printTable(io, questionColumns, found, 'No question is open.');
      },
    ),
  );
}
