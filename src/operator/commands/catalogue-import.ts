import path from 'node:path';

import { type Command, InvalidArgumentError, Option } from 'commander';

import type { FileFormat } from '../catalogue-import/catalogue-files';
import { describeProblems, ImportRefused } from '../catalogue-import/import-refused';
import type { ChangeOptions } from '../cli/change';
import type { CatalogueFile } from '../catalogue-import/import.service';
import { type FileOptions, formatOf, formatOption, readTextFile } from './catalogue-file';
import { type CommandIo, printLine } from '../cli/command-io';
import { exitCodes } from '../cli/exit-codes';
import { changeCommand, printResult } from '../cli/options';
import { printJson } from '../cli/output';
import { createProgress } from '../cli/progress';
import { runChange } from './operations';

interface ImportOptions extends ChangeOptions, FileOptions {
  delimiter: string;
  skipInvalid?: boolean;
}

function parseDelimiter(text: string): string {
  const delimiter = text === 'tab' ? '\t' : text;
  if (delimiter.length === 1) return delimiter;
  throw new InvalidArgumentError('Enter one character, or "tab".');
}

const countsOf = ({ added, changed, unchanged }: Record<'added' | 'changed' | 'unchanged', number>): string =>
  `${added} added, ${changed} changed, ${unchanged} unchanged`;

export function importCommand(
  io: CommandIo,
  noun: 'projects' | 'stories',
  description: string,
  read: (text: string, format: FileFormat, delimiter: string) => CatalogueFile,
): Command {
  return changeCommand(
    'import',
    `${description}. Records that are not in the file stay unchanged. If any record is invalid, the command writes nothing and lists all invalid records, unless you use --skip-invalid`,
  )
    .argument('<file>', 'a .csv or .json file, or - for standard input')
    .addOption(formatOption())
    .addOption(
      new Option('--delimiter <character>', 'CSV delimiter, or "tab"').argParser(parseDelimiter).default(','),
    )
    .option(
      '--skip-invalid',
      'import the valid records and list the invalid ones. Exit code 3: some are invalid',
    )
    .action((name: string, options: ImportOptions) => {
      const progress = createProgress(io.stderr);
      // `work` reads the file and adds its digest: an unreadable file can be reported only there.
      const recorded: Record<string, unknown> = { file: path.basename(name) };
      return runChange(
        io,
        {
          command: `${noun} import`,
          arguments: recorded,
          work: async ({ catalogueImport }) => {
            const { text, sha256 } = readTextFile(io, name);
            recorded['sha256'] = sha256;
            const skipInvalid = options.skipInvalid ?? false;
            recorded['skip_invalid'] = skipInvalid;
            try {
              const file = read(text, formatOf(name, options), options.delimiter);
              return await catalogueImport.run(file, { skipInvalid }, progress.show);
            } catch (error) {
              if (error instanceof ImportRefused && options.json) printJson(io, { problems: error.problems });
              throw error;
            } finally {
              progress.end();
            }
          },
          record: ({ projects, stories, problems }) => ({
            target: null,
            result: { projects, stories, skipped: problems.length },
          }),
          leaves: ({ projects, stories }) =>
            [projects, stories].some(({ added, changed }) => added + changed > 0)
              ? `Projects: ${countsOf(projects)}. Stories: ${countsOf(stories)}. To undo it, import the former file, and archive what was added with "projects archive" or "stories archive".`
              : undefined,
        },
        options,
        ({ projects, stories, problems }) => {
          if (problems.length > 0) {
            io.exitCode = exitCodes.found;
            printLine(io.stderr, `Skipped:\n${describeProblems(problems)}`);
          }
          if (options.json) printResult(io, options, { projects, stories, problems });
          else {
            printResult(io, options, { projects: countsOf(projects), stories: countsOf(stories) });
          }
        },
      );
    });
}
