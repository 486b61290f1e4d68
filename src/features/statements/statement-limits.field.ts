/** The limits of stored entries, besides the limits of a file. */
export const entryLimits = {
  /** Lines with the same amount, day and texts. One transaction stores all of them. */
  equalLines: 5_000,
  /** Longer texts are not references of a bank. */
  identifierLength: 35,
  /** Transaction ids in the texts of an entry. An entry with more pays none of them. */
  idsPerEntry: 20,
} as const;

/** The maximum number of files that an environment may upload in an hour. */
export const mostFilesPerHour = 60;
