import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { CsvMapping } from '@contribution-service/bank-files';
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { ChangeOptions } from '../../../operator/cli/change';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import { changeCommand } from '../../../operator/cli/options';
import { createProgress, type Progress } from '../../../operator/cli/progress';
import { shellWords, undoWith } from '../../../operator/cli/shell-words';
import { ServiceError } from '../../../shared/errors';
import { OperatorError } from '../../../shared/operator-error';
import type { EnvironmentKind } from '../../../shared/scopes';
import { accountName, directions } from '../statement.fields';
import type { Received } from '../uploads/statement-uploads.service';
import { readBytes } from './statement-check.command';
import { printFile, type ShownFile } from './statement-files.command';
import { mappingOption } from './statement-mapping';
import { runChange, type StatementOperations } from './statements.operations';
import { withUploader } from './uploader';

interface ImportOptions extends ChangeOptions {
  account?: string;
  direction?: (typeof directions)[number];
  mapping?: CsvMapping;
  wait: boolean;
}

const pollMs = 500;
/** The longest time to wait without progress. */
const patienceMs = 60_000;

function parseAccount(text: string): string {
  const { success } = accountName.safeParse(text);
  if (success) return text;
  throw new InvalidArgumentError('Enter 1 to 64 letters, digits, dots, underscores and hyphens.');
}

const isWaiting = ({ file: { state } }: ShownFile): boolean => state === 'received' || state === 'reading';

/** Waits until a running service has read the file, as long as it makes progress. */
async function waitForReading(readFile: () => Promise<ShownFile>, progress: Progress): Promise<ShownFile> {
  let shown = await readFile();
  let lastProgress = Date.now();
  while (isWaiting(shown) && Date.now() - lastProgress < patienceMs) {
    const { state, readLines } = shown.file;
    progress.show(0, state === 'reading' ? `read ${readLines} entries` : 'waiting for a running service');
    await delay(pollMs);
    shown = await readFile();
    if (shown.file.state !== state || shown.file.readLines !== readLines) lastProgress = Date.now();
  }
  progress.end();
  return shown;
}

const readShown =
  (environmentId: number, uploadId: string) =>
  async ({ uploads, statements }: StatementOperations): Promise<ShownFile> => {
    const file = await uploads.find({ environmentId, uploadId });
    if (!file) throw new OperatorError('The file is not stored any more.');
    return { file, outcomes: await statements.countOutcomes(environmentId, uploadId) };
  };

/** @throws OperatorError if the file has other options than before, or too many files came */
async function receive(
  { uploads }: StatementOperations,
  environmentId: number,
  bytes: Uint8Array,
  { account, direction, mapping }: ImportOptions,
): Promise<Received> {
  try {
    const received = await uploads.receive(environmentId, [bytes], { account, direction, mapping });
    if (received.outcome !== 'options_differ') return received;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new OperatorError(error.message, { cause: error });
  }
  throw new OperatorError(
    'The file is stored with another account, direction or mapping. Void it first: "statements list" shows its file_id.',
  );
}

function showResult(
  io: CommandIo,
  shown: ShownFile,
  { json, dryRun }: ImportOptions,
  isReplay: boolean,
): void {
  printFile(io, shown, json, { replayed: isReplay, ...(dryRun ? { dry_run: true } : {}) });
  const { file } = shown;
  if (isReplay) printLine(io.stderr, 'The same file was imported before: nothing changed.');
  else if (dryRun) {
    io.exitCode = exitCodes.done;
    printLine(io.stderr, 'A dry run does not read the file. Read it with "statements check".');
  } else if (isWaiting(shown)) {
    printLine(io.stderr, 'The file is stored, but not read yet. Run "statements show" later.');
  }
  if (file.state !== 'rejected' && file.state !== 'failed') return;
  io.exitCode = exitCodes.failed;
  printLine(io.stderr, `The file was not read, and nothing of it counts. ${file.reason ?? ''}`);
}

export function importCommand(io: CommandIo): Command {
  return withUploader(
    changeCommand(
      'import',
      'import a bank statement on behalf of a company, and wait until a running service has read it. The formats are camt.052, camt.053, camt.054, BAI2, NACHA returns and CSV, also as gzip or ZIP. Exit code 1: the file cannot be read. Exit code 3: it is not read yet, has problems, or has entries to explain',
    ),
  )
    .argument('<file>', 'the file, or - for standard input')
    .option(
      '--account <name>',
      "the company's own name for the account, for files that state no account number",
      parseAccount,
    )
    .addOption(
      new Option(
        '--direction <direction>',
        'for a new account: which entries pay contributions (default: credit)',
      ).choices(directions),
    )
    .addOption(mappingOption())
    .option('--no-wait', 'do not wait until the file is read')
    .action((kind: EnvironmentKind, company: string, name: string, options: ImportOptions) => {
      const progress = createProgress(io.stderr);
      // `work` adds the digest later, because only `work` can report an unreadable file.
      const recorded: Record<string, unknown> = { file: path.basename(name) };
      return runChange(
        io,
        {
          command: 'statements import',
          arguments: recorded,
          needsPeppers: true,
          async work(operations) {
            const bytes = readBytes(io, name);
            recorded['sha256'] = createHash('sha256').update(bytes).digest('hex');
            if (options.account !== undefined) recorded['account'] = options.account;
            const environmentId = await operations.environmentOf({ company, kind });
            const { upload, outcome } = await receive(operations, environmentId, bytes, options);
            return { environmentId, file: upload, isReplay: outcome === 'known' };
          },
          record: ({ file, isReplay }) => ({
            target: `${company} ${kind} statement ${file.uploadId}`,
            result: { bytes: file.byteCount, replayed: isReplay },
          }),
          leaves: ({ file: { uploadId: id }, isReplay }) =>
            isReplay
              ? undefined
              : `The bank statement ${id} is stored now. Show it with: ${shellWords('statements', 'show', kind, company, id)}. ${undoWith('statements', 'void', kind, company, id, '--reason', 'TEXT')}`,
        },
        options,
        async ({ environmentId, file, isReplay }, read) => {
          // A dry run of an imported file shows the results of the import.
          const isStored = options.dryRun !== true || isReplay;
          const readFile = () => read(readShown(environmentId, file.uploadId));
          const shown = !isStored
            ? { file, outcomes: [] }
            : await (options.wait ? waitForReading(readFile, progress) : readFile());
          showResult(io, shown, options, isReplay);
        },
      );
    });
}
