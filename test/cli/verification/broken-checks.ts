import type { VerificationReport } from '../../../src/operator/verification/verification-report';

/** The checks that found a violation. */
export const brokenChecks = ({ checks }: VerificationReport): string[] =>
  checks.filter(({ violationCount }) => violationCount > 0).map(({ check }) => check);
