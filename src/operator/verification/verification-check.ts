/**
 * One rule for the data, as a query that finds violations. Its rows have ids, environment_id
 * first, and `problem`, which is empty for rows that satisfy the rule. No row contains a user_hash,
 * a name or an idempotency key.
 *
 * The service keeps writing meanwhile, so each rule is a single query on one snapshot.
 */
export interface VerificationCheck {
  /** In kebab case. Scripts rely on it, so it never changes. */
  readonly name: string;
  /** The rule that holds if the check finds nothing. */
  readonly rule: string;
  /** `environment`: reads the rows of environment $1. `installation`: reads all rows at once. */
  readonly scope: 'environment' | 'installation';
  /** The table with the rows that it checks. */
  readonly table: string;
  /** Whether it reads without indexes. Uniqueness checks do, because an index may be damaged. */
  readonly readsTablesOnly: boolean;
  /** A `note` may be harmless. It is reported, but not as a violation. */
  readonly severity: 'violation' | 'note';
  readonly text: string;
}

type Options = Partial<Pick<VerificationCheck, 'readsTablesOnly' | 'severity'>>;

export function check(
  name: string,
  scope: VerificationCheck['scope'],
  table: string,
  rule: string,
  text: string,
  { readsTablesOnly = false, severity = 'violation' }: Options = {},
): VerificationCheck {
  return Object.freeze({ name, scope, table, rule, readsTablesOnly, severity, text: text.trim() });
}

/**
 * The body of a common table expression: each key pair, with each environment that it has belonged
 * to. A reset moves the pairs to a new environment of the same company.
 */
export const pairsOfEnvironments = `
      SELECT k.api_key, generation.environment_id
        FROM key_pairs k
        JOIN environments current ON current.environment_id = k.environment_id
        JOIN environments generation
          ON generation.company_id = current.company_id AND generation.kind = current.kind
         AND (generation.environment_id = current.environment_id OR generation.retired_at <= current.created_at)`;

/** Between the problems of a row. */
export const problemSeparator = '; ';

/**
 * An SQL expression for all problems of a row as one text, empty if there are none. A null
 * condition counts as false. A join with VALUES took ten times as long, because PostgreSQL
 * initialized it again for every row.
 *
 * @param problems from the text of a problem to its SQL condition
 */
export function problemsOf(problems: Readonly<Record<string, string>>): string {
  const cases = Object.entries(problems).map(
    ([problem, condition]) => `CASE WHEN ${condition} THEN '${problem}' END`,
  );
  return `concat_ws('${problemSeparator}', ${cases.join(', ')})`;
}
