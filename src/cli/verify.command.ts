import { Command, Option } from 'commander';

import type { VerificationProgress, VerificationReport } from '../modules/verification/verification.service';
import { runVerification } from './operator';

const exitCodeWhenViolated = 3;

/** One line that is written over on a terminal; elsewhere it would only fill a log. */
function showProgress({ environmentsDone, environmentCount, violationCount }: VerificationProgress): void {
  if (!process.stderr.isTTY) return;
  const isLast = environmentsDone === environmentCount;
  process.stderr.write(
    `\r${environmentsDone} of ${environmentCount} environments, ${violationCount} violations${isLast ? '\n' : ''}`,
  );
}

function printReport({ checks, environmentCount, violationCount }: VerificationReport): void {
  for (const { check, rule, violationCount: count, violations } of checks) {
    if (count === 0) continue;
    console.log(`${check}: ${count}. The rule: ${rule}`);
    for (const { problem, ...ids } of violations) {
      const named = Object.entries(ids).map(([name, value]) => `${name} ${String(value)}`);
      console.log(`  ${named.join('  ')}  ${problem}`);
    }
    if (count > violations.length) console.log(`  … the first ${violations.length} of ${count}`);
  }
  console.log(
    `${checks.length} checks of ${environmentCount} environments: ${violationCount === 0 ? 'nothing is wrong' : `${violationCount} violations`}`,
  );
}

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'look for anything in the database that breaks a rule; reads only. Exit code 0: nothing is wrong, 3: something is',
    )
    .addOption(new Option('--json', 'answer as JSON'))
    .action(({ json }: { json?: boolean }) =>
      runVerification(async (verification) => {
        const report = await verification.verify(showProgress);
        if (json) console.log(JSON.stringify(report));
        else printReport(report);
        if (report.violationCount > 0) process.exitCode = exitCodeWhenViolated;
      }),
    );
}
