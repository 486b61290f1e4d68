import type { Assignment } from './assignment';

/** One mutant, and how to find out whether a test notices it. */
export interface Task {
  /** The statement or the table that is wrong. */
  subject: string;
  /** What is wrong with it. */
  key: string;
  kind: string;
  assignment: Assignment;
  /** SQL that changes the schema before the tests; none for a mutant of a statement. */
  schemaChange?: string;
  /** The test files that could notice, the quickest first. */
  files: readonly string[];
}

/**
 * A mutant that is `explained` survived, and cannot but survive: it means the same as the statement
 * does.
 */
export type Verdict = 'killed' | 'survived' | 'explained' | 'invalid';

export interface Result {
  subject: string;
  key: string;
  kind: string;
  verdict: Verdict;
  /**
   * The test that noticed, why nothing could be noticed, or why PostgreSQL does not take the mutant
   * at all.
   */
  by?: string;
  milliseconds: number;
}
