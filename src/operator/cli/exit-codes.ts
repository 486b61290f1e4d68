/** What a command's exit code means; docs/operations/commands.md and the help say the same. */
export const exitCodes = {
  /** Done, or nothing was to do. */
  done: 0,
  /** Refused or failed: nothing was changed. */
  failed: 1,
  /** The command is not written as its help says, or the configuration cannot be used. */
  notConfigured: 2,
  /** Something was found that somebody must look at. */
  found: 3,
  /** The database did not answer: it may have been done. */
  unknown: 4,
  /** It cannot be undone, and nobody confirmed it. */
  notConfirmed: 5,
} as const;

export const exitCodesHelp = `
Exit codes:
  0  done, or nothing to do
  1  rejected or failed; nothing changed
  2  invalid command or configuration
  3  found something that needs attention
  4  no response from the database: check the outcome before you retry
  5  not confirmed`;
