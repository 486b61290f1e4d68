import { Command, Option } from 'commander';

import type { LedgerTransaction } from '../modules/ledger/ledger.store';
import { OperatorError } from '../shared/operator-error';
import type { EnvironmentKind } from '../shared/scopes';
import { exitCodes } from './exit-codes';
import { historyCommand } from './history.command';
import { mismatchesCommand, resolveCommand } from './mismatches.command';
import { look } from './operator';
import {
  environmentOption,
  limitOption,
  lookCommand,
  parseTime,
  transactionIdArgument,
  wholeNumber,
} from './options';
import { type Columns, printJson, printRecord, printTable } from './output';

const columns: Columns<LedgerTransaction> = [
  ['TRANSACTION_ID', (transaction) => transaction.transactionId, 'whole'],
  ['STATUS', (transaction) => transaction.status, 'whole'],
  ['AMOUNT', (transaction) => transaction.amount, 'whole'],
  ['CREATED', (transaction) => transaction.createdAt, 'whole'],
  ['COMPANY', (transaction) => transaction.company],
  ['COMPLETED', (transaction) => transaction.completedAt, 'whole'],
  ['ENVIRONMENT', (transaction) => transaction.kind],
  ['PROJECT', (transaction) => transaction.projectId],
];

const asJson = (transaction: LedgerTransaction) => ({
  transaction_id: transaction.transactionId,
  company: transaction.company,
  environment: transaction.kind,
  status: transaction.status,
  amount: transaction.amount,
  currency: 'USD',
  project_id: transaction.projectId,
  user_id: transaction.userId,
  idempotency_key: transaction.idempotencyKey,
  created_at: transaction.createdAt,
  created_by_api_key: transaction.createdByApiKey,
  completed_at: transaction.completedAt,
  completed_by: transaction.completedBy,
  completed_by_api_key: transaction.completedByApiKey,
  bank_reference: transaction.bankReference,
  value_date: transaction.valueDate,
});

function printList(transactions: readonly LedgerTransaction[], json: boolean | undefined): void {
  if (json) printJson({ transactions: transactions.map(asJson) });
  else printTable(columns, transactions, 'There is no such transaction.');
}

function showCommand(): Command {
  return lookCommand('show', 'show one transaction, whichever company it belongs to')
    .addArgument(transactionIdArgument())
    .action((id: string, { json }: { json?: boolean }) =>
      look(
        async ({ ledger }) => {
          const transaction = await ledger.find(id);
          if (!transaction) throw new OperatorError(`There is no transaction ${id}.`);
          return transaction;
        },
        (transaction) => {
          (json ? printJson : printRecord)(asJson(transaction));
        },
      ),
    );
}

interface ListOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  status?: 'pending' | 'completed';
  createdFrom?: Date;
  createdTo?: Date;
  bankReference?: string;
  limit: number;
}

function listCommand(): Command {
  return lookCommand('list', 'list transactions, the latest first')
    .argument('[company]', 'only those of one company')
    .addOption(environmentOption())
    .addOption(new Option('--status <status>', 'only of one status').choices(['pending', 'completed']))
    .option('--created-from <time>', 'UTC, inclusive', parseTime)
    .option('--created-to <time>', 'UTC, exclusive', parseTime)
    .option('--bank-reference <text>', 'only with this reference')
    .addOption(limitOption(50))
    .action((company: string | undefined, { json, environment: kind, ...filter }: ListOptions) =>
      look(
        ({ ledger }) => ledger.list({ company, kind, ...filter }),
        (transactions) => {
          printList(transactions, json);
        },
      ),
    );
}

function overdueCommand(): Command {
  return lookCommand(
    'overdue',
    'list what is pending for too long, the oldest first; nothing expires, and a late completion is accepted. Exit code 3: there is some',
  )
    .addOption(
      new Option('--hours <hours>', 'how long is too long').argParser(wholeNumber(0, 87_600)).default(24),
    )
    .addOption(limitOption(1_000))
    .action(({ json, hours, limit }: { json?: boolean; hours: number; limit: number }) =>
      look(
        ({ ledger }) => ledger.overdue(hours, limit),
        (transactions) => {
          if (transactions.length > 0) process.exitCode = exitCodes.found;
          printList(transactions, json);
        },
      ),
    );
}

export function transactionsCommand(): Command {
  return new Command('transactions')
    .description('contributions, of whichever company')
    .addCommand(showCommand())
    .addCommand(listCommand())
    .addCommand(overdueCommand())
    .addCommand(historyCommand())
    .addCommand(mismatchesCommand())
    .addCommand(resolveCommand());
}
