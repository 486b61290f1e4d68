import { hash } from 'node:crypto';

import {
  type CsvMapping,
  type EntryPart,
  fileLimits,
  readStatementFile,
  type Statement,
  type StatementEntry,
  type StatementFile,
} from '@contribution-service/bank-files';

import { createSearch, type IdsOfLine, type SearchContext } from './search-ids';
import { unpack } from './unpack';

/** A statement without its entries. */
export interface ReadStatement extends Omit<Statement, 'entries'> {
  entryCount: number;
}

/** A file without its entries. */
export interface ReadFile extends Omit<StatementFile, 'statements'> {
  statements: ReadStatement[];
  /** Entries and their parts. */
  lineCount: number;
}

type OfEntry = 'isBooked' | 'bookingDate' | 'bankReference' | 'unreadable';

/**
 * An entry, or a part of a batch entry, without the texts in which its sender wrote. The parts of
 * an entry follow it. They repeat the members that only entries have.
 */
export interface ReadLine
  extends Omit<EntryPart, 'references' | 'furtherReferences'>, Pick<StatementEntry, OfEntry>, IdsOfLine {
  /** The number of its statement in the file, from 1. */
  statement: number;
  /** The number of its entry in the statement, from 1. */
  entry: number;
  /** 0: the entry itself. Its parts have the numbers from 1. */
  part: number;
  /** SHA-256 in hexadecimal digits: equal texts have equal digests. */
  textsDigest: string;
}

/** A file with its lines. Each batch is created when it is read. */
export interface LinesOfFile {
  file: ReadFile;
  batches: Iterator<ReadLine[], void>;
}

export interface ReadContext extends SearchContext {
  /** The columns of a CSV file. */
  mapping?: CsvMapping | undefined;
}

/** The number of lines that one database statement inserts. */
export const linesInBatch = 1_000;

function* inBatches<Item>(items: Iterable<Item>): Generator<Item[], void> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < linesInBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* linesOf({ statements }: StatementFile, context: SearchContext): Generator<ReadLine, void> {
  const search = createSearch(context);
  for (const [at, statement] of statements.entries()) {
    let number = 0;
    for (const { parts, references, ...entry } of statement.entries) {
      number += 1;
      const { isBooked, bookingDate, bankReference, unreadable } = entry;
      const all: EntryPart[] = [{ ...entry, references }, ...parts];
      for (const [part, { references: texts, furtherReferences = [], ...line }] of all.entries()) {
        yield {
          ...line,
          ...{ isBooked, bookingDate, bankReference, unreadable },
          ...{ statement: at + 1, entry: number, part },
          textsDigest: hash('sha256', JSON.stringify([texts, line.identifiers])),
          ...search({ references: [...texts, ...furtherReferences] }),
        };
      }
    }
  }
}

function countLines({ entries }: Statement): number {
  let count = entries.length;
  for (const { parts } of entries) count += parts.length;
  return count;
}

/**
 * Unpacks and reads a file, and finds the transaction ids in it. It takes up the CPU, so it belongs
 * into a thread.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function readLines(bytes: Uint8Array, { mapping, ...context }: ReadContext): LinesOfFile {
  const file = readStatementFile(unpack(bytes, fileLimits.bytes), mapping);
  return {
    file: {
      ...file,
      problems: file.problems.slice(0, fileLimits.problems),
      statements: file.statements.map(({ entries, ...statement }) => ({
        ...statement,
        entryCount: entries.length,
      })),
      lineCount: file.statements.reduce((sum, statement) => sum + countLines(statement), 0),
    },
    batches: inBatches(linesOf(file, context)),
  };
}
