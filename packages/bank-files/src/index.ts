export { readStatementFile } from './read-statement-file';
export { type CsvMapping, csvDelimiters } from './csv-mapping';
export { fileLimits, mostFilesPerHour } from './file-limits';
export { PackedList } from './packed-list';
export {
  cut,
  dayOf,
  type EntryNature,
  type EntryPart,
  type FileProblem,
  isPlaceholder,
  signedCents,
  type Statement,
  type StatementEntry,
  type StatementFile,
  StatementFileRefused,
  type StatementKind,
} from './statement-file';
