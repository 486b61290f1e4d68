import type { VerificationCheck } from './verification-check';
import type { Violation } from './verification.store';

/** The result of one check. */
export interface CheckResult {
  check: string;
  rule: string;
  severity: VerificationCheck['severity'];
  /** The number of rows in its table at the start; null if they could not be counted. */
  rowCount: number | null;
  /** The number of violations, or of notes if the check is a note. */
  violationCount: number;
  /** The first violations only. */
  violations: Violation[];
}

/** A query that failed in PostgreSQL, for example because of a damaged page. */
export interface CheckFailure {
  check: string;
  environment_id: number | null;
  /** PostgreSQL's message. */
  message: string;
}

export interface VerificationReport {
  environmentCount: number;
  violationCount: number;
  noteCount: number;
  checks: CheckResult[];
  /** The failed queries. If there are any, the result is incomplete. */
  failures: CheckFailure[];
}

export interface VerificationProgress {
  /** The check that starts now; undefined at the end. */
  check: string | undefined;
  environmentsDone: number;
  environmentCount: number;
  violationCount: number;
}
