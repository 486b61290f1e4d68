/**
 * The version of the rules by which entries are derived from lines. Raise it with each change that
 * can change a result. Files that were matched by earlier rules are then matched again.
 *
 * Add a migration with the change. Its `down` sets `rules` of `matching_progress` back to the
 * version before. Otherwise the version before refuses to compare, because the database has newer
 * results. It sets `rules` of newer `statement_files` to 0, so that their results are replaced.
 */
export const matchingRules = 1;
