import { DatabaseFailure } from '../../db/errors';
import { auditHeadCheck, type KeptHead } from './audit.checks';
import type { VerificationCheck } from './verification-check';
import type {
  CheckFailure,
  CheckResult,
  VerificationProgress,
  VerificationReport,
} from './verification-report';
import type { VerificationStore } from './verification.store';

/** The maximum number of violations listed per check. All are counted. */
const mostListed = 100;

export interface VerificationService {
  /**
   * Runs the checks. Reads only, and can run while the service writes, because each check is one
   * query on one snapshot.
   *
   * @param onProgress called before each query, and at the end
   * @param heads stored heads that the audit log must still contain
   * @param jobs how many environments are checked at once
   * @throws if the database is not available; failures of single queries are in the report
   */
  verify(
    onProgress: (progress: VerificationProgress) => void,
    heads?: readonly KeptHead[],
    jobs?: number,
  ): Promise<VerificationReport>;
}

/** PostgreSQL's message if only this query failed; undefined if the run must stop. */
function reasonToGoOn(error: unknown): string | undefined {
  const cause = error instanceof DatabaseFailure ? error.cause : error;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  // These codes mean a damaged page or index, an unreadable file, or a statement timeout.
  return /^(XX|58)\w{3}$|^57014$/.test(String(cause.code)) ? cause.message : undefined;
}

/** Works on `jobs` values at once. @returns the results in the order of the values */
async function inParallel<T, R>(
  values: readonly T[],
  jobs: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = values.entries();
  const workOnNext = async (): Promise<void> => {
    for (const [place, value] of waiting) results[place] = await work(value);
  };
  await Promise.all(Array.from({ length: jobs }, workOnNext));
  return results;
}

type Checks = readonly VerificationCheck[];

export function createVerificationService(store: VerificationStore, checks: Checks): VerificationService {
  return {
    async verify(onProgress, heads = [], jobs = 1) {
      const failures: CheckFailure[] = [];
      const counts = new Map<string, number | null>();
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

      /**
       * @returns a function that adds the violations to the report; undefined if there is no
       *   violation
       */
      async function run(
        check: VerificationCheck,
        result: CheckResult,
        environmentId?: number,
        parameters: readonly unknown[] = environmentId === undefined ? [] : [environmentId],
      ): Promise<(() => void) | undefined> {
        onProgress({ check: check.name, ...progress });
        const found = await attempt(check, environmentId, () => store.find(check, parameters, mostListed));
        if (!found || found.total === 0) return undefined;
        if (check.severity === 'note') noteCount += found.total;
        else progress.violationCount += found.total;
        result.violationCount += found.total;
        return () => result.violations.push(...found.first.slice(0, mostListed - result.violations.length));
      }

      const results = new Map<VerificationCheck, CheckResult>();
      for (const check of checks) results.set(check, await begin(check));
      for (const [check, result] of results) {
        if (check.scope === 'installation') (await run(check, result))?.();
      }
      if (heads.length > 0) {
        const result = await begin(auditHeadCheck);
        results.set(auditHeadCheck, result);
        const parameters = [heads.map(({ position }) => position), heads.map(({ hash }) => hash)];
        (await run(auditHeadCheck, result, undefined, parameters))?.();
      }
      const ofEnvironments = [...results].filter(([{ scope }]) => scope === 'environment');
      const additions = await inParallel(environments, jobs, async (environmentId) => {
        const added = [];
        for (const [check, result] of ofEnvironments) added.push(await run(check, result, environmentId));
        progress.environmentsDone += 1;
        return added.filter((add) => add !== undefined);
      });
      for (const add of additions.flat()) add();
      onProgress({ check: undefined, ...progress });
      const { environmentCount, violationCount } = progress;
      return { environmentCount, violationCount, noteCount, checks: [...results.values()], failures };
    },
  };
}
