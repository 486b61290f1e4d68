import { Command } from 'commander';

import type { FileFormat } from '../catalogue-import/catalogue-files';
import type { CatalogueService } from '../catalogue-import/catalogue.service';
import { type FileOptions, formatOf, formatOption } from './catalogue-file';
import type { CommandIo } from '../cli/command-io';
import { withTextSink } from '../cli/text-sink';
import { runRead } from './operations';

type Catalogue = Awaited<ReturnType<CatalogueService['exportProjects']>>;

export function exportCommand(
  io: CommandIo,
  description: string,
  write: (catalogue: Catalogue, format: FileFormat) => string,
): Command {
  return new Command('export')
    .description(description)
    .argument('[file]', 'a .csv or .json file (default: standard output)')
    .addOption(formatOption())
    .option('--json', 'the same as --format json')
    .action((file: string | undefined, options: FileOptions & { json?: boolean }) =>
      runRead(
        io,
        ({ catalogue }) => catalogue.exportProjects(),
        (catalogue) => {
          const text = write(catalogue, options.json ? 'json' : formatOf(file, options));
          return withTextSink(file, io, (sink) => sink.write(text));
        },
      ),
    );
}
