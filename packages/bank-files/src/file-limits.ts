/** The limits of an uploaded bank statement. */
export const fileLimits = {
  bytes: 16 * 1024 * 1024,
  /** The maximum number of entries. Batch entries and their parts both count. */
  entries: 100_000,
  /** The maximum number of statements in a file. A response contains all of them. */
  statements: 500,
  problems: 100,
  /**
   * The maximum number of lines with the same amount, day and texts. One transaction stores all of
   * them.
   */
  equalLines: 5_000,
  depth: 32,
  textLength: 4096,
  /** Longer texts are not references of a bank. */
  identifierLength: 35,
  referencesPerEntry: 20,
  /**
   * The maximum number of transaction ids in the texts of an entry. An entry with more pays none of
   * them.
   */
  idsPerEntry: 20,
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

/** The maximum number of files that an environment may upload in an hour. */
export const mostFilesPerHour = 60;
