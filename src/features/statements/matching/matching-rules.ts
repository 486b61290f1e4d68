/**
 * The version of the rules by which entries are derived from lines. Raise it with each change that
 * can change a result. Files that were matched by earlier rules are then matched again.
 *
 * Add a migration with the change. Its `down` sets `rules` of `matching_progress` back to the
 * version before. Otherwise the version before refuses to compare, because the database has newer
 * results. It sets `rules` of newer `statement_files` to 0, so that their results are replaced.
 */
export const matchingRules = 2;

/**
 * SQL condition: the file `f` has results of earlier rules. A voided file has no results.
 *
 * @param rules an SQL expression for the version of the rules
 */
export const isOutdated = (rules: string): string =>
  `f.state = 'matched' AND f.voided_at IS NULL AND f.rules < ${rules}`;
