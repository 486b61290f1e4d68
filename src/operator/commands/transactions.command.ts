import { Command, Option } from 'commander';

import type { ListedTransaction } from '../contribution-lookup/transaction-lookup.store';
import { OperatorError } from '../../shared/operator-error';
import type { CommandIo } from '../cli/command-io';
import { disputeCommands } from './disputes.command';
import { exitCodes } from '../cli/exit-codes';
import { findCommand } from './find.command';
import { historyCommand } from './history.command';
import { limitOption, readCommand, skipOption, transactionIdArgument, wholeNumber } from '../cli/options';
import { transactionBody } from './transaction-body';
import { transactionColumns } from './transaction-columns';
import { filterOf, type TransactionFilter, withTransactionFilter } from './transaction-filter';
import { exportCommand } from './transactions-export.command';
import { oneMore, pageOf, type Paging, printJson, printRecord, printTable } from '../cli/output';
import { runRead, runReadOf } from './operations';

function printList(
  io: CommandIo,
  found: readonly ListedTransaction[],
  { json, ...paging }: Paging & { json?: boolean | undefined },
  whenEmpty: string,
): void {
  const { rows, hasMore } = pageOf(io, found, paging);
  if (json) printJson(io, { contributions: rows.map(transactionBody), has_more: hasMore });
  else printTable(io, transactionColumns, rows, whenEmpty);
}

function showCommand(io: CommandIo): Command {
  return readCommand('show', 'show one contribution of any company')
    .addArgument(transactionIdArgument())
    .action((id: string, { json }: { json?: boolean }) =>
      runRead(
        io,
        async ({ transactions }) => {
          const transaction = await transactions.find(id);
          if (!transaction) throw new OperatorError(`There is no contribution ${id}.`);
          return transaction;
        },
        (transaction) => {
          (json ? printJson : printRecord)(io, transactionBody(transaction));
        },
      ),
    );
}

interface ListOptions extends TransactionFilter {
  json?: boolean;
  limit: number;
  skip: number;
}

function listCommand(io: CommandIo): Command {
  return withTransactionFilter(readCommand('list', 'list contributions, latest first'))
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, { json, ...options }: ListOptions) =>
      runReadOf(
        io,
        company,
        ({ transactions }, name) =>
          transactions.list(
            oneMore({ company: name, ...filterOf(options), limit: options.limit, skip: options.skip }),
          ),
        (found) => {
          printList(io, found, { json, ...options }, 'No contributions found.');
        },
      ),
    );
}

function overdueCommand(io: CommandIo): Command {
  return readCommand(
    'overdue',
    'list contributions that have been pending for longer than --hours, oldest first. They never expire and can still be completed. Exit code 3: found some',
  )
    .addOption(
      new Option(
        '--hours <hours>',
        'a contribution is overdue when it is older than this (default: the setting OVERDUE_AFTER_HOURS)',
      ).argParser(wholeNumber(0, 87_600)),
    )
    .addOption(limitOption(1_000))
    .addOption(skipOption())
    .action(({ hours, ...options }: { json?: boolean; hours?: number } & Paging) =>
      runRead(
        io,
        ({ transactions }, { OVERDUE_AFTER_HOURS: configuredHours }) =>
          transactions.listOverdue(hours ?? configuredHours, options.limit + 1, options.skip),
        (found) => {
          if (found.length > 0) io.exitCode = exitCodes.found;
          printList(io, found, options, 'Nothing is overdue.');
        },
      ),
    );
}

export function transactionsCommand(io: CommandIo): Command {
  const command = new Command('contributions')
    .description('look up contributions, correct completions and resolve disputes')
    .alias('transactions')
    .addCommand(findCommand(io))
    .addCommand(showCommand(io))
    .addCommand(listCommand(io))
    .addCommand(overdueCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(historyCommand(io));
  for (const disputeCommand of disputeCommands(io)) command.addCommand(disputeCommand);
  return command;
}
