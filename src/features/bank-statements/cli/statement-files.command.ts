import type { Command } from 'commander';

import type { ChangeOptions } from '../../../operator/cli/change';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import {
  changeCommand,
  limitOption,
  parseReason,
  parseUuid,
  printResult,
  readCommand,
  skipOption,
} from '../../../operator/cli/options';
import {
  type Columns,
  oneMore,
  pageOf,
  type Paging,
  printJson,
  printRecord,
  printTable,
} from '../../../operator/cli/output';
import { OperatorError } from '../../../shared/operator-error';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { OutcomeCount } from '../operator/bank-statements.store';
import { presentLine } from '../reporting/lines/lines.presenter';
import type { StoredUpload } from '../uploads/statement-upload';
import { presentUpload } from '../uploads/uploads.presenter';
import { entryColumns } from './statement-entries.command';
import { runChange, runRead } from './statements.operations';
import { withUploader } from './uploader';

interface PageOptions extends Paging {
  json?: boolean;
}

const withFile = (command: Command): Command =>
  withUploader(command).argument(
    '<file-id>',
    'file_id, as "statements list" shows it',
    parseUuid('A file_id is a UUID. "statements list" shows it.'),
  );

const fileNotFound = (): OperatorError =>
  new OperatorError('The environment has no uploaded file with this file_id.');

const isUnread = (state: StoredUpload['state']): boolean => state !== 'read' && state !== 'voided';

const columns: Columns<StoredUpload> = [
  ['FILE_ID', ({ uploadId }) => uploadId, 'whole'],
  ['STATE', ({ state }) => state, 'whole', ({ state }) => (isUnread(state) ? 'red' : undefined)],
  ['RECEIVED', ({ receivedAt }) => receivedAt, 'whole'],
  ['FORMAT', ({ format }) => format, 'whole'],
  ['STATEMENTS', ({ statementCount }) => statementCount, 'whole'],
  ['ENTRIES', ({ readLines }) => readLines, 'whole'],
  [
    'PROBLEMS',
    ({ problems }) => problems.length,
    'whole',
    ({ problems }) => (problems.length > 0 ? 'red' : undefined),
  ],
  ['REASON', ({ reason, voidReason }) => voidReason ?? reason, 'wrap'],
];

export function listCommand(io: CommandIo): Command {
  return withUploader(readCommand('list', 'list uploaded bank statements, newest first'))
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((kind: EnvironmentKind, company: string, options: PageOptions) =>
      runRead(
        io,
        async ({ environmentOf, uploads }) => {
          const { limit, skip } = oneMore(options);
          const environmentId = await environmentOf({ company, kind });
          return (await uploads.list(environmentId, undefined, skip + limit)).slice(skip);
        },
        (found) => {
          const { rows, hasMore } = pageOf(io, found, options);
          if (options.json) printJson(io, { files: rows.map(presentUpload), has_more: hasMore });
          else printTable(io, columns, rows, 'No bank statements found.');
        },
      ),
    );
}

/** An upload, and what its lines are if it was read. */
export interface ShownFile {
  file: StoredUpload;
  outcomes: readonly OutcomeCount[];
}

/**
 * Prints a file, and sets the exit code if it needs attention.
 *
 * @param more further members of the JSON
 */
export function printFile(
  io: CommandIo,
  { file, outcomes }: ShownFile,
  json: boolean | undefined,
  more: Readonly<Record<string, unknown>>,
): void {
  const counts = Object.fromEntries(outcomes.map(({ outcome, entries }) => [outcome, entries]));
  const toExplain = outcomes.reduce((sum, one) => sum + one.toExplain, 0);
  if (isUnread(file.state) || file.problems.length > 0 || toExplain > 0) io.exitCode = exitCodes.found;
  const { problems, statements, ...body } = presentUpload(file);
  if (json) {
    printJson(io, {
      ...body,
      statements,
      problems,
      outcomes: counts,
      entries_to_explain: toExplain,
      ...more,
    });
    return;
  }
  printRecord(io, { ...body, statements, ...counts, entries_to_explain: toExplain });
  for (const { line, message } of problems) printLine(io.stdout, `Line ${line}: ${message}.`);
}

export function showCommand(io: CommandIo): Command {
  return withFile(
    readCommand(
      'show',
      'show a bank statement and its entries. Exit code 3: the file was not read, has problems, or has entries to explain',
    ),
  )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((kind: EnvironmentKind, company: string, uploadId: string, options: PageOptions) =>
      runRead(
        io,
        async ({ environmentOf, uploads, statements, lines }) => {
          const environmentId = await environmentOf({ company, kind });
          const file = await uploads.find({ environmentId, uploadId });
          if (!file) throw fileNotFound();
          const { limit, skip } = oneMore(options);
          const { lines: found } = await lines.ofFile(environmentId, uploadId, undefined, skip + limit);
          const outcomes = await statements.countOutcomes(environmentId, uploadId);
          return { file, outcomes, entries: found.slice(skip).map(presentLine) };
        },
        ({ entries, ...shown }) => {
          const { rows, hasMore } = pageOf(io, entries, options);
          printFile(io, shown, options.json, { listed_entries: rows, has_more: hasMore });
          if (!options.json) printTable(io, entryColumns, rows, 'No entries found.');
        },
      ),
    );
}

export function voidCommand(io: CommandIo): Command {
  return withFile(
    changeCommand(
      'void',
      'void a bank statement, for example one of another account. Its entries no longer count, unless another file has them too. The file can be imported again',
    ),
  )
    .requiredOption('--reason <text>', 'reason for voiding the file', parseReason)
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        uploadId: string,
        { reason, ...options }: ChangeOptions & { reason: string },
      ) =>
        runChange(
          io,
          {
            command: 'statements void',
            arguments: { reason },
            async work({ environmentOf, uploads }) {
              const upload = { environmentId: await environmentOf({ company, kind }), uploadId };
              const before = await uploads.find(upload);
              const after = await uploads.void(upload, reason);
              if (!before || after === undefined) throw fileNotFound();
              if (after !== 'month_closed')
                return { state: after.state, changed: after.state !== before.state };
              throw new OperatorError(
                'The file states days of a closed month. Reopen the month first, with "reconciliation reopen".',
              );
            },
            record: ({ changed }) => ({
              target: `${company} ${kind} statement ${uploadId}`,
              result: { changed },
            }),
            leaves: ({ changed }) =>
              changed
                ? `The bank statement ${uploadId} is void now. To undo it, import the file again with "statements import".`
                : undefined,
          },
          options,
          (result) => {
            printResult(io, options, { file_id: uploadId, ...result });
          },
        ),
    );
}
