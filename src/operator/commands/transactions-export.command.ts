import { Command, Option } from 'commander';

import { formatCsv } from '../../shared/csv';
import type { ListedTransaction } from '../contribution-lookup/transaction-lookup.store';
import { type CommandIo, printLine } from '../cli/command-io';
import { createProgress } from '../cli/progress';
import { withTextSink } from '../cli/text-sink';
import { transactionBody } from './transaction-body';
import { filterOf, type TransactionFilter, withTransactionFilter } from './transaction-filter';
import { runRead } from './operations';

const formats = ['csv', 'ndjson'] as const;

interface ExportOptions extends TransactionFilter {
  json?: boolean;
  format: (typeof formats)[number];
}

type Body = ReturnType<typeof transactionBody>;

const columns = [
  'transaction_id',
  'company',
  'environment',
  'status',
  'amount',
  'returned_amount',
  'currency',
  'project_id',
  'user_id',
  'idempotency_key',
  'created_at',
  'created_by_api_key',
  'completed_at',
  'completed_by',
  'completed_by_api_key',
  'bank_reference',
  'value_date',
  'corrected_at',
] as const satisfies readonly (keyof Body)[];

const lines: Record<ExportOptions['format'], (bodies: readonly Body[]) => string> = {
  csv: (bodies) => formatCsv(bodies.map((body) => columns.map((column) => body[column]))),
  ndjson: (bodies) =>
    bodies
      .map(
        (body) => `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, body[column]])))}\n`,
      )
      .join(''),
};

const format = (as: ExportOptions['format'], transactions: readonly ListedTransaction[]): string =>
  lines[as](transactions.map(transactionBody));

export function exportCommand(io: CommandIo): Command {
  const command = new Command('export').description(
    'export contributions as CSV or NDJSON, sorted by environment and then oldest first. The file appears only when it is complete',
  );
  return withTransactionFilter(command)
    .option('--file <file>', 'write to this file instead of standard output')
    .addOption(new Option('--format <format>', 'format of the output').choices(formats).default('csv'))
    .option('--json', 'the same as --format ndjson')
    .action(
      (
        company: string | undefined,
        { json, format: asked, file, ...filter }: ExportOptions & { file?: string },
      ) => {
        const as = json ? 'ndjson' : asked;
        const progress = createProgress(io.stderr);
        return runRead(
          io,
          async ({ companies, transactionExport }) => {
            const name = company === undefined ? undefined : (await companies.find(company)).name;
            return withTextSink(file, io, async (sink) => {
              let count = 0;
              if (as === 'csv') await sink.write(formatCsv([columns]));
              for await (const { transactions, done } of transactionExport.pages({
                company: name,
                ...filterOf(filter),
              })) {
                count += transactions.length;
                progress.show(done, `${count} contributions`);
                if (transactions.length > 0) await sink.write(format(as, transactions));
              }
              return count;
            }).finally(progress.end);
          },
          (count) => {
            printLine(io.stderr, `Exported ${count} contribution${count === 1 ? '' : 's'}.`);
          },
        );
      },
    );
}
