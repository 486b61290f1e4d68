import type { VerificationCheck } from './verification-check';
import type { Violation } from './verification.store';

/** What one rule came to. */
export interface CheckResult {
  check: string;
  rule: string;
  severity: VerificationCheck['severity'];
  /** How many rows its table had when the run began; null if they could not be counted. */
  rowCount: number | null;
  /** Of a check that is a note: how many notes. */
  violationCount: number;
  /** The first of them. */
  violations: Violation[];
}

/** A statement that PostgreSQL gave up, for example because a page of the table is damaged. */
export interface CheckFailure {
  check: string;
  environment_id: number | null;
  /** In PostgreSQL's words. */
  message: string;
}

export interface VerificationReport {
  environmentCount: number;
  violationCount: number;
  noteCount: number;
  checks: CheckResult[];
  /** What could not be looked at. While there is any, that nothing was found means little. */
  failures: CheckFailure[];
}

export interface VerificationProgress {
  /** The check that begins now; undefined at the end. */
  check: string | undefined;
  environmentsDone: number;
  environmentCount: number;
  violationCount: number;
}
