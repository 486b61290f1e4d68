import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { CsvMapping } from '@contribution-service/bank-files';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { accountName, directions } from '../statement.fields';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { ChangeOptions, Read } from '../../../operator/cli/change';
import type { ShownFile } from '../operator/bank-statements.service';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import { changeCommand, wholeNumber } from '../../../operator/cli/options';
import { createProgress, type Progress } from '../../../operator/cli/progress';
import { shellWords, undoWith } from '../../../operator/cli/shell-words';
import { readBytes } from './statement-check.command';
import { mappingOption } from './statement-mapping';
import { withUploader } from './statement-files.command';
import { hasDifferences, printFile, type PrintedFile } from './statement-output';
import { runChange, type StatementOperations } from './statements.operations';

interface ImportOptions extends ChangeOptions {
  account?: string;
  direction?: (typeof directions)[number];
  mapping?: CsvMapping;
  wait: number;
}

const pollMs = 500;

function parseAccount(text: string): string {
  const { success } = accountName.safeParse(text);
  if (success) return text;
  throw new InvalidArgumentError('Enter 1 to 64 letters, digits, dots, underscores and hyphens.');
}

/**
 * Waits until a running service has matched the entries, as long as it makes progress.
 *
 * @param seconds the longest time without progress
 */
async function waitForMatching(
  readFile: () => Promise<ShownFile>,
  seconds: number,
  progress: Progress,
): Promise<ShownFile> {
  let shown = await readFile();
  let matched = -1;
  let lastProgress = Date.now();
  while (shown.file[0].state === 'stored' && Date.now() - lastProgress < seconds * 1_000) {
    const { matched_count: done, entry_count: all } = shown.file[0];
    if (done !== matched) lastProgress = Date.now();
    matched = done;
    progress.show(done / Math.max(1, all), `matched ${done} of ${all} entries`);
    await delay(pollMs);
    shown = await readFile();
  }
  progress.end();
  return shown;
}

function showResult(
  io: CommandIo,
  shown: PrintedFile,
  { json, dryRun }: ImportOptions,
  isReplay: boolean,
): void {
  printFile(io, shown, json, { replayed: isReplay, ...(dryRun ? { dry_run: true } : {}) });
  if (isReplay) printLine(io.stderr, 'The same file was imported before: nothing changed.');
  const isOnlyTried = dryRun === true && !isReplay;
  if (isOnlyTried) printLine(io.stderr, 'A dry run does not compare the entries with contributions.');
  const isMatched = isOnlyTried || shown.file[0].state !== 'stored';
  if (!isMatched) {
    printLine(
      io.stderr,
      'The entries are stored, but no running service has matched all of them yet. Run "statements show" later.',
    );
  }
  if (!isMatched || hasDifferences(shown)) io.exitCode = exitCodes.found;
}

export function importCommand(io: CommandIo): Command {
  return withUploader(
    changeCommand(
      'import',
      'import a bank statement on behalf of a company, and wait until a running service has matched its entries. The formats are camt.052, camt.053, camt.054, BAI2, NACHA returns and CSV. Exit code 3: entries are unexplained, amounts differ, the file has problems or wrong totals, an earlier statement is missing, or the file is not matched yet',
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
    .addOption(
      new Option('--wait <seconds>', 'stop waiting after this many seconds without progress; 0 = do not wait')
        .argParser(wholeNumber(0, 86_400))
        .default(60),
    )
    .action((kind: EnvironmentKind, company: string, name: string, options: ImportOptions) => {
      const progress = createProgress(io.stderr);
      const uploader = { company, kind };
      // `work` adds the digest later, because only `work` can report an unreadable file.
      const recorded: Record<string, unknown> = { file: path.basename(name) };
      return runChange(
        io,
        {
          command: 'statements import',
          arguments: recorded,
          hashesUnderPepper: true,
          work: async ({ bankStatements }) => {
            const bytes = Buffer.from(readBytes(io, name));
            recorded['sha256'] = createHash('sha256').update(bytes).digest('hex');
            if (options.account !== undefined) recorded['account'] = options.account;
            const { account, direction, mapping } = options;
            progress.show(0, 'reading the file');
            const { file, isReplay } = await bankStatements
              .import(uploader, bytes, { account, direction, mapping }, (stored, all) => {
                progress.show(stored / all, `stored ${stored} of ${all} entries`);
              })
              .finally(progress.end);
            return { file, isReplay };
          },
          record: ({ file, isReplay }) => ({
            target: `${company} ${kind} statement ${file[0].file_id}`,
            result: { entries: file[0].entry_count, replayed: isReplay },
          }),
          leaves: ({ file, isReplay }) =>
            isReplay
              ? undefined
              : `The bank statement ${file[0].file_id} is stored now. Show it with: ${shellWords('statements', 'show', kind, company, file[0].file_id)}. ${undoWith('statements', 'void', kind, company, file[0].file_id, '--reason', 'TEXT')}`,
        },
        options,
        async ({ file, isReplay }, read: Read<StatementOperations>) => {
          // A dry run of an imported file shows the results of the import.
          const isStored = options.dryRun !== true || isReplay;
          const readFile = () => read(({ bankStatements }) => bankStatements.show(uploader, file[0].file_id));
          const result = isStored ? await waitForMatching(readFile, options.wait, progress) : { file };
          showResult(io, result, options, isReplay);
        },
      );
    });
}
