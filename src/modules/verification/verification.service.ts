import { environmentChecks } from './environments.checks';
import { eventChecks } from './events.checks';
import { transactionChecks } from './transactions.checks';
import { userChecks } from './users.checks';
import type { VerificationCheck } from './verification-check';
import type { VerificationStore, Violation } from './verification.store';

export const verificationChecks: readonly VerificationCheck[] = [
  ...environmentChecks,
  ...transactionChecks,
  ...eventChecks,
  ...userChecks,
];

/** Of each check at most so many violations are listed in full; all are counted. */
const mostListed = 100;

/** What one rule came to. */
export interface CheckResult {
  check: string;
  rule: string;
  violationCount: number;
  /** The first of them. */
  violations: Violation[];
}

export interface VerificationReport {
  environmentCount: number;
  violationCount: number;
  checks: CheckResult[];
}

export interface VerificationProgress {
  environmentsDone: number;
  environmentCount: number;
  violationCount: number;
}

export interface VerificationService {
  /**
   * Holds the database against every rule, one environment after the other, one short statement for each rule. Writes
   * nothing, and may run while the service writes: a rule is judged on one snapshot.
   *
   * @param onProgress told after each environment
   */
  verify(onProgress: (progress: VerificationProgress) => void): Promise<VerificationReport>;
}

export function createVerificationService(store: VerificationStore): VerificationService {
  return {
    async verify(onProgress) {
      const results = new Map<VerificationCheck, CheckResult>(
        verificationChecks.map((check) => [
          check,
          { check: check.name, rule: check.rule, violationCount: 0, violations: [] },
        ]),
      );
      let violationCount = 0;
      async function run(scope: VerificationCheck['scope'], environmentId?: number): Promise<void> {
        for (const [check, result] of results) {
          if (check.scope !== scope) continue;
          const { total, first } = await store.find(check, environmentId, mostListed);
          violationCount += total;
          result.violationCount += total;
          result.violations.push(...first.slice(0, mostListed - result.violations.length));
        }
      }

      const environments = await store.listEnvironments();
      const environmentCount = environments.length;
      await run('installation');
      for (const [index, environmentId] of environments.entries()) {
        await run('environment', environmentId);
        onProgress({ environmentsDone: index + 1, environmentCount, violationCount });
      }
      return { environmentCount, violationCount, checks: [...results.values()] };
    },
  };
}
