import { createHmac, hash } from 'node:crypto';

import { v7 as uuidv7 } from 'uuid';

import type { Clock } from '../../shared/clock';
import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { createBatchSlots } from '../contributions/batch-slots';
import type { CsvMapping } from './files/csv-mapping.field';
import { mostFilesPerHour } from './files/file-limits.field';
import { StatementFileRefused } from './files/statement-file';
import type { LaterChangesStore } from './later-changes.store';
import type { ParseFile } from './parse-in-worker';
import type { ParsedFile, ParsedStatement } from './parsed-file';
import type { StatedContributionsStore } from './stated-contributions.store';
import type { NewStatement, StatementImportStore } from './statement-import.store';

export interface ImportOptions {
  /** The uploader's name for the account of a file that states none. */
  account: string | undefined;
  direction: 'credit' | 'debit' | undefined;
  /** Of the columns of a CSV file. */
  mapping: CsvMapping | undefined;
}

/** The sender of a file. */
export type Uploader = Pick<Principal, 'environmentId' | 'environmentKind'>;

/** Called while entries are stored. */
export type StoredLines = (stored: number, entries: number) => void;

export interface StatementImports {
  /**
   * Stores the entries of a file. The caller then starts the matching.
   *
   * @param show is called after each part
   * @returns the file's id, and whether an earlier upload had stored it
   * @throws ServiceError statement_unreadable, rate_limited, overloaded
   */
  store(
    uploader: Uploader,
    bytes: Buffer,
    options: ImportOptions,
    show?: StoredLines,
  ): Promise<{ fileId: string; isReplay: boolean }>;
  /** Reads and checks a file, and stores nothing. */
  check(uploader: Uploader, bytes: Buffer, options: ImportOptions): Promise<ParsedFile>;
}

/** Lines of one statement of the database. */
const linesAtOnce = 1_000;

const unreadable = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('statement_unreadable', { detail: `${detail} Nothing was stored.`, cause });

export interface ImportDependencies {
  store: StatementImportStore;
  changes: Pick<LaterChangesStore, 'start'>;
  contributions: Pick<StatedContributionsStore, 'visibleEnvironments'>;
  parse: ParseFile;
  /** The secrets under which account numbers are hashed; the first is the current one. */
  peppers: readonly Buffer[];
  clock: Clock;
}

/** @throws ServiceError statement_unreadable */
async function readFile(
  { contributions, parse, clock }: ImportDependencies,
  environmentId: number,
  bytes: Buffer,
  { account, mapping }: ImportOptions,
): Promise<ParsedFile> {
  const tags = new Set((await contributions.visibleEnvironments(environmentId)).keys());
  const file = await parse(bytes, { tags, now: clock.now(), mapping }).catch((error: unknown) => {
    throw error instanceof StatementFileRefused ? unreadable(error.message, error) : error;
  });
  const numbers = new Set(file.statements.map(({ accountNumber }) => accountNumber));
  if (account === undefined && numbers.has(null)) {
    throw unreadable('The file states no account number. Send your own name for the account as account.');
  }
  if (account !== undefined && numbers.size > 1) {
    throw unreadable('The file has several accounts. Omit account.');
  }
  return file;
}

async function storeEntries(
  { store, peppers }: ImportDependencies,
  { environmentId, fileId }: { environmentId: number; fileId: string },
  file: ParsedFile,
  { account, direction = 'credit' }: ImportOptions,
  show: StoredLines | undefined,
): Promise<void> {
  const hmacsOf = ({ accountNumber }: ParsedStatement): Buffer[] =>
    peppers.map((pepper) =>
      createHmac('sha256', pepper)
        .update(account === undefined ? `account number ${accountNumber ?? ''}` : `account name ${account}`)
        .digest(),
    );
  const statements: NewStatement[] = [];
  for (const [at, parsed] of file.statements.entries()) {
    const accountId = await store.account(environmentId, hmacsOf(parsed), {
      accountId: uuidv7(),
      ending: parsed.accountEnding,
      direction,
    });
    statements.push({ ...parsed, number: at + 1, accountId });
  }
  await store.addStatements(environmentId, fileId, statements);
  const keyOf = (statementNumber: number, digest: string): string =>
    hash('sha256', `${statements[statementNumber - 1]?.accountId ?? ''} ${digest}`, 'hex');
  for (let start = 0; start < file.entries.length; start += linesAtOnce) {
    const lines = file.entries.slice(start, start + linesAtOnce).map((entry, at) => ({
      ...entry,
      place: start + at + 1,
      classKey: keyOf(entry.statementNumber, entry.digest),
      parentKey: entry.parentDigest === null ? null : keyOf(entry.statementNumber, entry.parentDigest),
    }));
    await store.addSources(environmentId, fileId, lines);
    show?.(start + lines.length, file.entries.length);
  }
  await store.markStored(environmentId, fileId);
}

export function createStatementImports(dependencies: ImportDependencies): StatementImports {
  const { store } = dependencies;
  const slots = createBatchSlots();
  const inSlot = async <Result>(uploader: Uploader, work: () => Promise<Result>): Promise<Result> => {
    const release = slots.take(uploader);
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    check: (uploader, bytes, options) =>
      inSlot(uploader, () => readFile(dependencies, uploader.environmentId, bytes, options)),

    store: (uploader, bytes, options, show) =>
      inSlot(uploader, async () => {
        const { environmentId } = uploader;
        const sha256 = hash('sha256', bytes, 'buffer');
        const known = await store.find(environmentId, sha256);
        if (known && known.state !== 'receiving') return { fileId: known.fileId, isReplay: true };
        const file = await readFile(dependencies, environmentId, bytes, options);
        const fileId = known?.fileId ?? uuidv7();
        await dependencies.changes.start(environmentId);
        const isNew = await store.create(environmentId, {
          fileId,
          sha256,
          format: file.format,
          version: file.version,
          entryCount: file.entries.length,
          problems: file.problems,
        });
        // An upload that ended early left the file. This one stores what is missing.
        const stored = isNew ? fileId : (await store.find(environmentId, sha256))?.fileId;
        if (stored === undefined) {
          throw new ServiceError('rate_limited', {
            detail: `The limit is ${mostFilesPerHour} files per hour. Nothing was done. Wait Retry-After seconds, then retry.`,
            headers: { 'Retry-After': '60' },
          });
        }
        await storeEntries(dependencies, { environmentId, fileId: stored }, file, options, show);
        return { fileId: stored, isReplay: false };
      }),
  };
}
