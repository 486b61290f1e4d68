/**
 * The exit codes of the commands, as explained in `exitCodesHelp` and docs/operations/commands.md.
 */
export const exitCodes = {
  done: 0,
  failed: 1,
  notConfigured: 2,
  found: 3,
  unknown: 4,
  notConfirmed: 5,
} as const;

export const exitCodesHelp = `
Exit codes:
  0  done, or nothing to do
  1  rejected or failed; nothing changed
  2  invalid command or configuration
  3  found something that needs attention
  4  changed, or perhaps changed, but the result is lost: read the message before you retry
  5  not confirmed; nothing changed`;
