import { Command, Option } from 'commander';

import type {
  CheckResult,
  VerificationProgress,
  VerificationReport,
} from '../modules/verification/verification-report';
import { runVerification } from './operator';

const exitCodeWhenViolated = 3;
const exitCodeWhenIncomplete = 1;

/** One line that is written over on a terminal; elsewhere it would only fill a log. */
function showProgress({
  check,
  environmentsDone,
  environmentCount,
  violationCount,
}: VerificationProgress): void {
  if (!process.stderr.isTTY) return;
  const clearLine = '\r\u001b[K';
  const line = `${environmentsDone} of ${environmentCount} environments, ${violationCount} violations`;
  process.stderr.write(check === undefined ? `${clearLine}${line}\n` : `${clearLine}${line}, ${check}`);
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
        const report = await verification.verify(showProgress);
        if (json) console.log(JSON.stringify(report));
        else printReport(report);
        if (report.violationCount > 0) process.exitCode = exitCodeWhenViolated;
        else if (report.failures.length > 0) process.exitCode = exitCodeWhenIncomplete;
      }),
    );
}
