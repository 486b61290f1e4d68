import { createHmac, hash } from 'node:crypto';

import {
  type CsvMapping,
  type Outcome,
  outcomes,
  StatementFileRefused,
} from '@contribution-service/bank-files';
import { v7 as uuidv7 } from 'uuid';

import type { Clock } from '../../shared/clock';
import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { createBatchSlots } from '../../core/contributions/batch-slots';
import { accountHmacs } from './account-hmacs';
import type { LaterChangesStore } from './later-changes.store';
import { outcomeOf } from './matching/match-entry';
import type { OpenFile, ParseFile } from './parse-in-worker';
import type { ParsedFile } from './parsed-file';
import type { StatedContributionsStore } from './stated-contributions.store';
import type { NewStatement, StatementImportStore, StoredFile } from './statement-import.store';
import { mostFilesPerHour } from './statement-limits.field';
import { createUnstoredFiles } from './unstored-files';

export interface ImportOptions {
  /** The uploader's name for the account of a file that states none. */
  account: string | undefined;
  direction: 'credit' | 'debit' | undefined;
  /** The columns of a CSV file. */
  mapping: CsvMapping | undefined;
}

/** The sender of a file. */
export type Uploader = Pick<Principal, 'environmentId' | 'environmentKind'>;

/** Called while entries are stored, with the numbers of stored and of all entries. */
export type StoredLines = (stored: number, entries: number) => void;

/** A file that was only checked. */
export interface FileCheck {
  file: ParsedFile;
  /** The number of entries with each outcome. */
  outcomes: Record<Outcome, number>;
}

export type StatementImports = ReturnType<typeof createStatementImports>;

const unreadable = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('statement_unreadable', { detail: `${detail} Nothing was stored.`, cause });

export interface ImportDependencies {
  store: StatementImportStore;
  changes: Pick<LaterChangesStore, 'start'>;
  contributions: Pick<StatedContributionsStore, 'tagsOf' | 'visibleEnvironments'>;
  parse: ParseFile;
  /** The secrets under which account numbers are hashed; the first is the current one. */
  peppers: readonly Buffer[];
  clock: Clock;
}

/**
 * Reads a file, passes it to `work`, and closes it.
 *
 * @throws ServiceError statement_unreadable
 */
async function withFile<Result>(
  { contributions, parse, clock }: ImportDependencies,
  { environmentKind }: Uploader,
  { bytes, options }: { bytes: Buffer; options: ImportOptions },
  work: (opened: OpenFile) => Promise<Result>,
): Promise<Result> {
  const tags = await contributions.tagsOf(environmentKind);
  const context = { tags, now: clock.now(), mapping: options.mapping };
  const opened = await parse(bytes, context).catch((error: unknown) => {
    throw error instanceof StatementFileRefused ? unreadable(error.message, error) : error;
  });
  try {
    checkAccount(opened.file, options);
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** @throws ServiceError statement_unreadable */
function checkAccount(file: ParsedFile, { account }: ImportOptions): void {
  const numbers = new Set(file.statements.map(({ accountNumber }) => accountNumber));
  if (account === undefined && numbers.has(null)) {
    throw unreadable('The file states no account number. Send `account` with your own name for the account.');
  }
  // With another name, the entries of the account would count twice.
  if (account !== undefined && [...numbers].some((number) => number !== null)) {
    throw unreadable('The file states its account number. Omit account.');
  }
}

/** @throws ServiceError account_direction_differs, if a known account has another direction */
async function checkDirection(
  { store, peppers }: ImportDependencies,
  environmentId: number,
  { statements }: ParsedFile,
  options: ImportOptions,
): Promise<void> {
  if (options.direction === undefined) return;
  const numbers = new Map(statements.map((statement) => [statement.accountNumber, statement]));
  for (const statement of numbers.values()) {
    const known = await store.findAccount(environmentId, accountHmacs(peppers, statement, options));
    if (known && known.direction !== options.direction) {
      throw new ServiceError('account_direction_differs', {
        detail: `The account ${known.accountId} has the direction ${known.direction}. Nothing was stored.`,
      });
    }
  }
}

async function storeEntries(
  { store, peppers }: ImportDependencies,
  { environmentId, fileId }: { environmentId: number; fileId: string },
  { file, sets }: OpenFile,
  options: ImportOptions,
  show: StoredLines | undefined,
): Promise<void> {
  const statements: NewStatement[] = [];
  for (const [at, parsed] of file.statements.entries()) {
    const { accountId } = await store.account(environmentId, accountHmacs(peppers, parsed, options), {
      accountId: uuidv7(),
      ending: parsed.accountEnding,
      name: options.account ?? null,
      direction: options.direction ?? 'credit',
    });
    statements.push({ ...parsed, number: at + 1, accountId });
  }
  await store.addStatements(environmentId, fileId, statements);
  const keyOf = (statementNumber: number, digest: string): string =>
    hash('sha256', `${statements[statementNumber - 1]?.accountId ?? ''} ${digest}`, 'hex');
  let place = 0;
  for await (const set of sets) {
    const lines = set.map((entry) => ({
      ...entry,
      place: (place += 1),
      classKey: keyOf(entry.statementNumber, entry.digest),
      parentKey: entry.parentDigest === null ? null : keyOf(entry.statementNumber, entry.parentDigest),
      plainKey: entry.plainDigest === null ? null : keyOf(entry.statementNumber, entry.plainDigest),
    }));
    await store.addSources(environmentId, fileId, lines);
    show?.(place, file.entryCount);
  }
  await store.markStored(environmentId, fileId);
}

/** HMACs of the options, one for each pepper. A repeat of an upload must have the same options. */
const readingsOf = (peppers: readonly Buffer[], options: ImportOptions): Buffer[] =>
  peppers.map((pepper) =>
    createHmac('sha256', pepper)
      .update(JSON.stringify(['reading', options.account, options.direction, options.mapping]))
      .digest(),
  );

/** @throws ServiceError statement_options_differ, if the file was read with other options */
function checkReading(file: StoredFile, peppers: readonly Buffer[], options: ImportOptions): void {
  const { fileId, reading } = file;
  if (!reading || readingsOf(peppers, options).some((one) => one.equals(reading))) return;
  throw new ServiceError('statement_options_differ', {
    detail: `The file is stored as ${fileId}, and was read with another account, direction or mapping. Nothing was changed.`,
  });
}

/** @returns the new file, or the file of an interrupted upload */
async function createFile(
  { store, changes, peppers }: ImportDependencies,
  environmentId: number,
  { sha256, file, options }: { sha256: Buffer; file: ParsedFile; options: ImportOptions },
): Promise<string> {
  const fileId = uuidv7();
  const [reading = Buffer.alloc(0)] = readingsOf(peppers, options);
  await changes.start(environmentId);
  const { format, version, entryCount, problems } = file;
  const create = (): Promise<boolean> =>
    store.create(environmentId, { fileId, sha256, reading, format, version, entryCount, problems });
  const known = await store.find(environmentId, sha256);
  if (known && !known.reading?.equals(reading)) await store.drop(environmentId, known.fileId);
  // An interrupted upload created the file. This upload stores the missing lines.
  else if (known) return known.fileId;
  if (await create()) return fileId;
  const concurrent = await store.find(environmentId, sha256);
  if (concurrent?.reading?.equals(reading)) return concurrent.fileId;
  if (concurrent) {
    throw new ServiceError('rate_limited', {
      detail: 'The same file is being uploaded with other options. No changes were made.',
      headers: { 'Retry-After': '1' },
    });
  }
  throw limitReached(await store.secondsUntilFree(environmentId));
}

const limitReached = (seconds: number): ServiceError =>
  new ServiceError('rate_limited', {
    detail: `The limit is ${mostFilesPerHour} files per hour. No changes were made. Wait Retry-After seconds, then retry.`,
    headers: { 'Retry-After': String(seconds) },
  });

export function createStatementImports(dependencies: ImportDependencies) {
  const { store } = dependencies;
  const slots = createBatchSlots();
  const unstored = createUnstoredFiles(() => dependencies.clock.now().getTime());
  const inSlot = async <Result>(uploader: Uploader, work: () => Promise<Result>): Promise<Result> => {
    const release = slots.take(uploader);
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    /** Reads and checks a file, and stores nothing. */
    check: (uploader: Uploader, bytes: Buffer, options: ImportOptions): Promise<FileCheck> =>
      inSlot(uploader, () => {
        const { environmentId } = uploader;
        unstored.check(environmentId);
        unstored.add(environmentId);
        return withFile(dependencies, uploader, { bytes, options }, async ({ file, sets }) => {
          const visible = await dependencies.contributions.visibleEnvironments(environmentId);
          const tags = new Set(visible.keys());
          const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as FileCheck['outcomes'];
          for await (const set of sets) for (const entry of set) counts[outcomeOf(entry, tags)] += 1;
          return { file, outcomes: counts };
        });
      }),

    /**
     * Stores the entries of a file. The caller then starts the matching.
     *
     * @param show is called after each part
     * @returns the file's id, and whether an earlier upload had stored it
     * @throws ServiceError statement_unreadable, statement_options_differ,
     *   account_direction_differs, rate_limited, overloaded
     */
    store: (uploader: Uploader, bytes: Buffer, options: ImportOptions, show?: StoredLines) =>
      inSlot(uploader, async () => {
        const { environmentId } = uploader;
        const sha256 = hash('sha256', bytes, 'buffer');
        const known = await store.find(environmentId, sha256);
        if (known && known.state !== 'receiving') {
          checkReading(known, dependencies.peppers, options);
          return { fileId: known.fileId, isReplay: true };
        }
        unstored.check(environmentId);
        const stored = withFile(dependencies, uploader, { bytes, options }, async (opened) => {
          await checkDirection(dependencies, environmentId, opened.file, options);
          const fileId = await createFile(dependencies, environmentId, {
            sha256,
            file: opened.file,
            options,
          });
          await storeEntries(dependencies, { environmentId, fileId }, opened, options, show);
          return { fileId, isReplay: false };
        });
        return stored.catch((error: unknown) => {
          if (error instanceof ServiceError && error.code === 'statement_unreadable')
            unstored.add(environmentId);
          throw error;
        });
      }),
  };
}
