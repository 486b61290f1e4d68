/**
 * One rule that the database must keep, as a statement that finds what breaks it. Every row is one violation: the ids of
 * the rows concerned and `problem`, which says what is wrong with them. No row ever holds a user_hash, a name or an
 * idempotency key.
 */
export interface VerificationCheck {
  /** Stable, in kebab case: for scripts and alarms. */
  readonly name: string;
  /** What is true when it finds nothing. */
  readonly rule: string;
  /** `environment`: $1 is an environment_id, and only its rows are looked at. `installation`: everything at once. */
  readonly scope: 'environment' | 'installation';
  readonly text: string;
}

export function check(
  name: string,
  scope: VerificationCheck['scope'],
  rule: string,
  text: string,
): VerificationCheck {
  return Object.freeze({ name, scope, rule, text: text.trim() });
}
