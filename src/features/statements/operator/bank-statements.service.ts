import type { CompaniesService } from '../../../core/companies/companies.service';
import type { ImportOptions, StatementImports, StoredLines } from '../statement-imports.service';
import type { StatementFilesStore } from '../statement-files.store';
import type { EntryBodyRow, FileBodyRow } from '../statement-rows';
import { ServiceError } from '../../../shared/errors';
import { groupBy } from '../../../shared/group-by';
import { OperatorError } from '../../../shared/operator-error';
import type { UploaderName } from './position-lookup.service';
import type { BankStatementsStore, OutcomeCount } from './bank-statements.store';

/** An uploaded file, as one row for each of its statements. It has at least one row. */
export type FileRows = readonly [FileBodyRow, ...FileBodyRow[]];

export interface ShownFile {
  file: FileRows;
  outcomes: OutcomeCount[];
  /** Contributions whose money differs from their amount. */
  differences: number;
}

/** The bank statements of an environment, as operators see and maintain them. */
export type BankStatementsService = ReturnType<typeof createBankStatementsService>;

export interface BankStatementsDependencies {
  companies: Pick<CompaniesService, 'find'>;
  imports: Pick<StatementImports, 'store'>;
  files: StatementFilesStore;
  store: BankStatementsStore;
}

const filesOf = (rows: readonly FileBodyRow[]): FileRows[] =>
  [...groupBy(rows, (row) => row.file_id).values()].map((group) => group as unknown as FileRows);

export function createBankStatementsService({
  companies,
  imports,
  files,
  store,
}: BankStatementsDependencies) {
  const environmentOf = async ({ company, kind }: UploaderName): Promise<number> =>
    (await companies.find(company)).environments[kind];

  async function read(environmentId: number, fileId: string): Promise<FileRows> {
    const [file] = filesOf(await files.read(environmentId, fileId));
    if (!file) throw new OperatorError('The environment has no uploaded file with this file_id.');
    return file;
  }

  return {
    /** Newest first. */
    async list(uploader: UploaderName, { limit, skip }: { limit: number; skip: number }) {
      const rows = await files.list(await environmentOf(uploader), undefined, skip + limit);
      return filesOf(rows).slice(skip);
    },

    /** @throws OperatorError if there is no such file */
    async show(uploader: UploaderName, fileId: string): Promise<ShownFile> {
      const environmentId = await environmentOf(uploader);
      return {
        file: await read(environmentId, fileId),
        outcomes: await store.countOutcomes(environmentId, fileId),
        differences: await store.countDifferences(environmentId, fileId),
      };
    },

    /** The entries, in the order of their ids. */
    async entries(
      uploader: UploaderName,
      fileId: string,
      { outcome, limit, skip }: { outcome: string | undefined; limit: number; skip: number },
    ): Promise<EntryBodyRow[][]> {
      const page = { after: undefined, limit: skip + limit };
      const filter = { outcome, confidence: undefined };
      const rows = await files.entries(await environmentOf(uploader), fileId, filter, page);
      return [...groupBy(rows, (row) => row.entry_id).values()].slice(skip);
    },

    /**
     * Stores the entries of a file. A running service then matches them.
     *
     * @throws OperatorError if the file cannot be read, or the limit of files is reached
     */
    async import(uploader: UploaderName, bytes: Buffer, options: ImportOptions, show: StoredLines) {
      const environmentId = await environmentOf(uploader);
      const principal = { environmentId, environmentKind: uploader.kind };
      try {
        const { fileId, isReplay } = await imports.store(principal, bytes, options, show);
        return { file: await read(environmentId, fileId), isReplay };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        throw new OperatorError(error.message, { cause: error });
      }
    },

    /**
     * @returns false if it was voided already
     * @throws OperatorError if there is no such file
     */
    async void(uploader: UploaderName, fileId: string, reason: string) {
      const environmentId = await environmentOf(uploader);
      const [before] = await read(environmentId, fileId);
      if (before.state === 'voided') return false;
      await files.void(environmentId, fileId, reason);
      return true;
    },
  };
}
