/** What a command's exit code means; docs/operations/commands.md and the help say the same. */
export const exitCodes = {
  /** Done, or nothing was to do. */
  done: 0,
  /** Refused or failed: nothing was changed. */
  failed: 1,
  /** The command is not written as its help says, or the configuration is not complete. */
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
  0  done, or nothing was to do
  1  refused or failed; nothing was changed
  2  the command or the configuration is not complete
  3  something was found that somebody must look at
  4  the database did not answer: look whether it was done before you repeat it
  5  it cannot be undone, and was not confirmed`;
