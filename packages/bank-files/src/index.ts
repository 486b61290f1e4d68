export { type CheckedEntry, type CheckedFile, checkStatementFile } from './check-statement-file';
export {
  type CsvColumn,
  csvDelimiters,
  type CsvDirection,
  type CsvFee,
  type CsvLayout,
  type CsvMapping,
  type CsvQuestion,
  type CsvReading,
  type CsvStatus,
} from './csv-mapping';
export { csvLayouts, layoutsFor, layoutsOf } from './csv-layouts';
export { fileLimits } from './file-limits';
export { findIds, type FoundIds, type IdScheme } from './find-ids';
export { type EntryProblem, idsOutcome, type Outcome, outcomes, problemOf } from './outcomes';
export { PackedList } from './packed-list';
export { readStatementChunks, readStatementFile } from './read-statement-file';
export { searchedFields } from './searched-fields';
export {
  dayOf,
  type EntryNature,
  type EntryPart,
  type FileProblem,
  isPlaceholder,
  signedCents,
  type StatedBalance,
  type Statement,
  type StatementEntry,
  type StatementFile,
  type StatementKind,
} from './statement-file';
export { StatementFileRefused } from './statement-file-refused';
