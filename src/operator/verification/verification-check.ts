/**
 * One rule that the database must keep, as a statement that finds what breaks it. Its rows have the
 * ids of the rows concerned, environment_id first, and `problem`, which says what is wrong with
 * them: nothing if it is empty. No row ever holds a user_hash, a name or an idempotency key.
 *
 * A rule is right in one snapshot, because the service goes on writing: no rule compares what two
 * statements have read.
 */
export interface VerificationCheck {
  /** Stable, in kebab case: for scripts and alarms. */
  readonly name: string;
  /** What is true when it finds nothing. */
  readonly rule: string;
  /**
   * `environment`: $1 is an environment_id, and only its rows are looked at. `installation`:
   * everything at once.
   */
  readonly scope: 'environment' | 'installation';
  /** The table each of whose rows it judges. */
  readonly table: VerifiedTable;
  /**
   * Whether the tables themselves are read and no index is asked. So it is for whatever must be
   * there once: a unique index that lacks an entry lets a double in, and would then answer that
   * there is none.
   */
  readonly readsTablesOnly: boolean;
  /** A `note` may have an innocent reason. It is reported, and is no violation. */
  readonly severity: 'violation' | 'note';
  readonly text: string;
}

export const verifiedTables = [
  'environments',
  'bank_links',
  'users',
  'transactions',
  'events',
  'supports',
  'project_figures',
  'operator_actions',
] as const;

export type VerifiedTable = (typeof verifiedTables)[number];

type Options = Partial<Pick<VerificationCheck, 'readsTablesOnly' | 'severity'>>;

export function check(
  name: string,
  scope: VerificationCheck['scope'],
  table: VerifiedTable,
  rule: string,
  text: string,
  { readsTablesOnly = false, severity = 'violation' }: Options = {},
): VerificationCheck {
  return Object.freeze({ name, scope, table, rule, readsTablesOnly, severity, text: text.trim() });
}

/**
 * What is wrong with a row, as one text in SQL, empty if nothing is. A condition that is null does
 * not hold.
 *
 * Not a join with VALUES, which PostgreSQL prepares anew for every row: that took ten times as
 * long.
 *
 * @param problems the condition for each, under the words for it
 */
export function problemsOf(problems: Readonly<Record<string, string>>): string {
  const cases = Object.entries(problems).map(
    ([problem, condition]) => `CASE WHEN ${condition} THEN '${problem}' END`,
  );
  return `concat_ws('; ', ${cases.join(', ')})`;
}
