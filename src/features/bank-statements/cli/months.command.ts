import { type Command, InvalidArgumentError } from 'commander';

import type { ChangeOptions } from '../../../operator/cli/change';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import {
  changeCommand,
  parseDay,
  parseReason,
  parseUuid,
  printResult,
  readCommand,
  withOrderedRange,
} from '../../../operator/cli/options';
import { type Columns, printJson, printRecord, printTable } from '../../../operator/cli/output';
import { undoWith } from '../../../operator/cli/shell-words';
import { OperatorError } from '../../../shared/operator-error';
import type { EnvironmentKind } from '../../../shared/scopes';
import { closeTexts, toExplainText } from '../months/close-texts';
import type { CloseReasonBody } from '../months/months.contract';
import { presentCanClose } from '../months/months.presenter';
import { presentReconciliation } from '../reporting/reconciliation/reconciliation-statement.presenter';
import { previousDay } from '../rules/days/banking-days';
import { runChange, runRead, type StatementOperations } from './statements.operations';
import { withUploader } from './uploader';

interface RangeOptions {
  json?: boolean;
  from: string;
  to: string;
}

export function statementCommand(io: CommandIo): Command {
  return withOrderedRange(
    withUploader(
      readCommand(
        'statement',
        'reconcile the days of an account: opening balance + matched + returned + charges + ignored + unexplained = closing balance. Exit code 3: the numbers do not add up or are not final',
      ),
    ),
  )
    .argument('<account>', 'account_id, ending or name of the account')
    .requiredOption('--from <day>', 'first day', parseDay)
    .requiredOption('--to <day>', 'first day after the range', parseDay)
    .action((kind: EnvironmentKind, company: string, named: string, { json, from, to }: RangeOptions) =>
      runRead(
        io,
        async ({ environmentOf, accounts, reconciliations }) => {
          const environmentId = await environmentOf({ company, kind });
          const account = await accounts.find(environmentId, named);
          const statement = await reconciliations.of(environmentId, account, { from, to: previousDay(to) });
          return presentReconciliation(statement, { from, to });
        },
        (body) => {
          if (body.is_exact !== true || body.notes.length > 0) io.exitCode = exitCodes.found;
          if (json) {
            printJson(io, body);
            return;
          }
          printRecord(io, {
            opening: body.opening_balance,
            ...Object.fromEntries(body.terms.map(({ term, amount }) => [term, amount])),
            closing: body.closing_balance,
            is_exact: body.is_exact,
          });
          for (const { from: first, to: last, text } of body.notes)
            printLine(io.stdout, `${first} to ${last}: ${text}`);
        },
      ),
    );
}

function parseMonth(text: string): string {
  if (/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Enter a month such as 2026-11.');
}

const ofMonth = (command: Command): Command =>
  withUploader(command).argument('<month>', "month of the bank's booking days, such as 2026-11", parseMonth);

const parseAccountId = parseUuid('An account_id is a UUID. "statements days --all --json" shows it.');

const withoutStatements = (command: Command): Command =>
  command.option(
    '--without <account-id...>',
    'accounts that have no statements in this month',
    (text: string, before: string[] | undefined) => [...(before ?? []), parseAccountId(text)],
  );

const reasonColumns: Columns<CloseReasonBody> = [
  ['ACCOUNT_ID', (reason) => reason.account_id, 'whole'],
  ['KIND', ({ kind }) => kind, 'whole'],
  ['FROM', ({ from }) => from, 'whole'],
  ['TO', ({ to }) => to, 'whole'],
  ['ENTRIES', ({ entries }) => entries, 'whole'],
  ['REASON', ({ text }) => text, 'wrap'],
];

export function canCloseCommand(io: CommandIo): Command {
  return withoutStatements(
    ofMonth(
      readCommand(
        'can-close',
        'say whether a month can be closed, or list each reason that keeps it open, with the account and its days. Exit code 3: it cannot be closed',
      ),
    ),
  ).action(
    (
      kind: EnvironmentKind,
      company: string,
      month: string,
      { json, without }: { json?: boolean; without?: string[] },
    ) =>
      runRead(
        io,
        async ({ environmentOf, months }) =>
          months.canClose(await environmentOf({ company, kind }), month, without),
        (found) => {
          const body = presentCanClose(month, found);
          if (!body.can_close) io.exitCode = exitCodes.found;
          if (json) {
            printJson(io, body);
            return;
          }
          printTable(io, reasonColumns, body.data, `${month} can be closed.`);
          if (found.linesToExplain > 0) printLine(io.stdout, toExplainText(found.linesToExplain));
        },
      ),
  );
}

interface DecideOptions extends ChangeOptions {
  name: string;
  reason: string;
  without?: string[];
}

type Decider = { environmentId: number; apiKey: string };

/** A command that closes or reopens a month. `work` says whether it changed anything. */
function decideCommand(
  io: CommandIo,
  [name, description]: readonly [name: 'close' | 'reopen', description: string],
  work: (
    months: StatementOperations['months'],
    decider: Decider,
    month: string,
    options: DecideOptions,
  ) => Promise<boolean>,
): Command {
  const [state, opposite] = name === 'close' ? (['closed', 'reopen'] as const) : (['open', 'close'] as const);
  return ofMonth(changeCommand(name, description))
    .requiredOption('--name <person>', 'the person who decides this', parseReason)
    .requiredOption('--reason <text>', 'the reason, for people who read it later', parseReason)
    .action((kind: EnvironmentKind, company: string, month: string, options: DecideOptions) => {
      const { name: person, reason, without } = options;
      return runChange(
        io,
        {
          command: `reconciliation ${name}`,
          arguments: { name: person, reason, ...(without && { without }) },
          work: async ({ environmentOf, months }) => {
            const environmentId = await environmentOf({ company, kind });
            return work(months, { environmentId, apiKey: `operator: ${person}` }, month, options);
          },
          record: (changed) => ({ target: `${company} ${kind} month ${month}`, result: { changed } }),
          leaves: (changed) =>
            changed
              ? `The month ${month} is ${state} now. ${undoWith('reconciliation', opposite, kind, company, month, '--name', 'NAME', '--reason', 'TEXT')}`
              : undefined,
        },
        options,
        (changed) => {
          printResult(io, options, { month, state, changed });
        },
      );
    });
}

export const closeCommand = (io: CommandIo): Command =>
  withoutStatements(
    decideCommand(
      io,
      ['close', 'close a month for all accounts of an environment, if nothing of it is open'],
      async (months, decider, month, { reason, without = [] }) => {
        const closed = await months.close(decider, month, { reason, without });
        if (closed.outcome === 'changed_meanwhile') {
          throw new OperatorError('A day of the month has changed meanwhile. Run the command again.');
        }
        if (closed.outcome !== 'not_ready') return closed.outcome === 'closed';
        const [first] = closed.reasons;
        const text = first ? ` The first: ${closeTexts[first.kind]}` : '';
        throw new OperatorError(
          `Reasons that keep the month open: ${closed.reasons.length}. "reconciliation can-close" lists them.${text}`,
        );
      },
    ),
  );

export const reopenCommand = (io: CommandIo): Command =>
  decideCommand(
    io,
    ['reopen', 'reopen a closed month. What came after its closing counts from now on'],
    async (months, decider, month, { reason }) =>
      (await months.reopen(decider, month, { reason })) === 'reopened',
  );
