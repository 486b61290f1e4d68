import { Command, Option } from 'commander';

import type {
  CheckResult,
  VerificationProgress,
  VerificationReport,
} from '../modules/verification/verification-report';
import { exitCodes } from './exit-codes';
import { runVerification } from './operator';
import { createProgress, type Progress } from './progress';

function showProgress(progress: Progress, state: VerificationProgress): void {
  const { check, environmentsDone, environmentCount, violationCount } = state;
  const where = `${environmentsDone}/${environmentCount} environments, ${violationCount} violations`;
  progress.show(
    environmentsDone / Math.max(1, environmentCount),
    check === undefined ? where : `${where}, ${check}`,
  );
}

function printFindings({ check, rule, severity, violationCount, violations }: CheckResult): void {
  if (violationCount === 0) return;
  console.log(`${check}: ${violationCount}${severity === 'note' ? ' notes' : ''}. The rule: ${rule}`);
  for (const { problem, ...ids } of violations) {
    const named = Object.entries(ids).map(([name, value]) => `${name} ${String(value)}`);
    console.log(`  ${named.join('  ')}  ${problem}`);
  }
  if (violationCount > violations.length)
    console.log(`  … the first ${violations.length} of ${violationCount}`);
}

function printReport({
  checks,
  failures,
  environmentCount,
  violationCount,
  noteCount,
}: VerificationReport): void {
  checks.forEach(printFindings);
  for (const { check, environment_id: environmentId, message } of failures) {
    const where = environmentId === null ? '' : ` of environment ${environmentId}`;
    console.log(`${check}${where}: could not be looked at, ${message}`);
  }
  const found = [
    violationCount === 0 ? 'nothing is wrong' : `${violationCount} violations`,
    ...(noteCount === 0 ? [] : [`${noteCount} notes`]),
    ...(failures.length === 0 ? [] : [`${failures.length} statements failed, so this is not all`]),
  ];
  console.log(`${checks.length} checks of ${environmentCount} environments: ${found.join(', ')}`);
}

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'look for anything in the database that breaks a rule; reads only. Exit code 0: nothing is wrong, 3: something is, 1: not everything could be looked at',
    )
    .addOption(new Option('--json', 'answer as JSON'))
    .action(({ json }: { json?: boolean }) =>
      runVerification(async (verification) => {
        const progress = createProgress();
        const report = await verification
          .verify((state) => {
            showProgress(progress, state);
          })
          .finally(progress.end);
        if (json) console.log(JSON.stringify(report));
        else printReport(report);
        if (report.violationCount > 0) process.exitCode = exitCodes.found;
        else if (report.failures.length > 0) process.exitCode = exitCodes.failed;
      }),
    );
}
