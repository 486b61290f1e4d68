import { DatabaseFailure } from '../../db/errors';
import { auditHeadCheck, type KeptHead } from './audit.checks';
import { verificationChecks } from './checks';
import type { VerificationCheck, VerifiedTable } from './verification-check';
import type {
  CheckFailure,
  CheckResult,
  VerificationProgress,
  VerificationReport,
} from './verification-report';
import type { VerificationStore } from './verification.store';

/** Of each check at most so many violations are listed in full; all are counted. */
const mostListed = 100;

export interface VerificationService {
  /**
   * Holds the database against every rule, one environment after the other, one short statement for
   * each rule. Writes nothing, and may run while the service writes: a rule is judged on one
   * snapshot.
   *
   * @param onProgress told before each statement, and at the end
   * @param heads of the audit record, kept elsewhere: the record must still have them
   * @throws whatever says that the database cannot be used at all; what stops one statement only
   *   is in the report
   */
  verify(
    onProgress: (progress: VerificationProgress) => void,
    heads?: readonly KeptHead[],
  ): Promise<VerificationReport>;
}

/** Why PostgreSQL gave this statement up, if the next one may still run; otherwise undefined. */
function reasonToGoOn(error: unknown): string | undefined {
  const cause = error instanceof DatabaseFailure ? error.cause : error;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  // A damaged page or index, a file that cannot be read, a statement that took too long.
  return /^(XX|58)\w{3}$|^57014$/.test(String(cause.code)) ? cause.message : undefined;
}

export function createVerificationService(store: VerificationStore): VerificationService {
  return {
    async verify(onProgress, heads = []) {
      const failures: CheckFailure[] = [];
      const counts = new Map<VerifiedTable, number | null>();
      const environments = await store.listEnvironments();
      const progress = { environmentsDone: 0, environmentCount: environments.length, violationCount: 0 };
      let noteCount = 0;

      async function attempt<T>(
        check: VerificationCheck,
        environmentId: number | undefined,
        work: () => Promise<T>,
      ): Promise<T | undefined> {
        try {
          return await work();
        } catch (error) {
          const message = reasonToGoOn(error);
          if (message === undefined) throw error;
          failures.push({ check: check.name, environment_id: environmentId ?? null, message });
          return undefined;
        }
      }

      async function begin(check: VerificationCheck): Promise<CheckResult> {
        const { name, rule, severity, table } = check;
        if (!counts.has(table)) {
          counts.set(table, (await attempt(check, undefined, () => store.countRows(table))) ?? null);
        }
        const rowCount = counts.get(table) ?? null;
        return { check: name, rule, severity, rowCount, violationCount: 0, violations: [] };
      }

      async function run(
        check: VerificationCheck,
        result: CheckResult,
        environmentId?: number,
        parameters: readonly unknown[] = environmentId === undefined ? [] : [environmentId],
      ): Promise<void> {
        onProgress({ check: check.name, ...progress });
        const found = await attempt(check, environmentId, () => store.find(check, parameters, mostListed));
        if (!found) return;
        if (check.severity === 'note') noteCount += found.total;
        else progress.violationCount += found.total;
        result.violationCount += found.total;
        result.violations.push(...found.first.slice(0, mostListed - result.violations.length));
      }

      const results = new Map<VerificationCheck, CheckResult>();
      for (const check of verificationChecks) results.set(check, await begin(check));
      for (const [check, result] of results) {
        if (check.scope === 'installation') await run(check, result);
      }
      if (heads.length > 0) {
        const result = await begin(auditHeadCheck);
        results.set(auditHeadCheck, result);
        const parameters = [heads.map(({ position }) => position), heads.map(({ hash }) => hash)];
        await run(auditHeadCheck, result, undefined, parameters);
      }
      for (const environmentId of environments) {
        for (const [check, result] of results) {
          if (check.scope === 'environment') await run(check, result, environmentId);
        }
        progress.environmentsDone += 1;
      }
      onProgress({ check: undefined, ...progress });
      const { environmentCount, violationCount } = progress;
      return { environmentCount, violationCount, noteCount, checks: [...results.values()], failures };
    },
  };
}
