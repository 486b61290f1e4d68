/**
 * The version of the rules. Raise it with each change that can change a result. Days that were
 * compared by earlier rules are then compared again.
 *
 * Add a migration with the change. Its `down` sets `rules` of newer `account_days` to 0, so that
 * the version before compares them again. Otherwise it leaves them alone.
 */
export const statementRules = 2;
