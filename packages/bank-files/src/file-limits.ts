import { StatementFileRefused } from './statement-file-refused';

/** The limits of a file. They bound the memory and the time that a hostile file takes. */
export const fileLimits = {
  bytes: 16 * 1024 * 1024,
  /** The maximum for a camt file that is read in chunks: 4 KiB for each entry. */
  streamedBytes: 400 * 1024 * 1024,
  /** The maximum number of entries. The parts of a batch entry count too. */
  entries: 100_000,
  statements: 500,
  balances: 20_000,
  problems: 100,
  /** The maximum depth of XML elements. */
  depth: 32,
  /** Longer texts are cut. */
  textLength: 4096,
  referencesPerEntry: 20,
  nodesPerEntry: 20_000,
  /** The maximum number of attributes of an XML element. */
  attributes: 100,
  lineLength: 64 * 1024,
  /** The maximum number of columns of a CSV file. */
  columns: 1_000,
  /** The maximum number of lines of a BAI2 record, including continuations. */
  recordLines: 10_000,
  recordFields: 20_000,
  lines: 500_000,
} as const;

/** @throws StatementFileRefused if a file has more of them than the limit */
export function limitNumber(things: 'entries' | 'statements' | 'balances' | 'lines', count: number): void {
  if (count <= fileLimits[things]) return;
  throw new StatementFileRefused(`The file has more than ${fileLimits[things]} ${things}.`);
}
