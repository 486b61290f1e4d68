import type { Assignment } from './assignment';

/** One mutant, with the tests that may detect it. */
export interface Task {
  /** The changed statement or table. */
  subject: string;
  /** The change. */
  key: string;
  kind: string;
  assignment: Assignment;
  /** SQL that changes the schema before the tests; none for a mutant of a statement. */
  schemaChange?: string;
  /** The test files that may detect it, quickest first. */
  files: readonly string[];
}

/** A mutant that is `explained` survived as expected, because it is equivalent to the statement. */
export type Verdict = 'killed' | 'survived' | 'explained' | 'invalid';

export interface Result {
  subject: string;
  key: string;
  kind: string;
  verdict: Verdict;
  /** The test that detected it, why it cannot be detected, or why PostgreSQL rejects it. */
  by?: string;
  milliseconds: number;
}
