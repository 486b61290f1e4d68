import { Command, InvalidArgumentError, Option } from 'commander';

import { isTimeOfHead, type KeptHead, parseKeptHead } from '../verification/audit.checks';
import { verificationChecks } from '../verification/checks';
import type {
  CheckResult,
  VerificationProgress,
  VerificationReport,
} from '../verification/verification-report';
import { createVerificationService } from '../verification/verification.service';
import { createVerificationStore } from '../verification/verification.store';
import { type CommandIo, printLine } from '../cli/command-io';
import { exitCodes } from '../cli/exit-codes';
import { styled, withReadOnlyDatabase } from '../cli/operator';
import { wholeNumber } from '../cli/options';
import { createProgress, type Progress } from '../cli/progress';

function showProgress(progress: Progress, state: VerificationProgress): void {
  const { check, environmentsDone, environmentCount, violationCount } = state;
  const where = `${environmentsDone}/${environmentCount} environments, ${violationCount} violations`;
  progress.show(
    environmentsDone / Math.max(1, environmentCount),
    check === undefined ? where : `${where}, ${check}`,
  );
}

function printFindings(
  io: CommandIo,
  { check, rule, severity, violationCount, violations }: CheckResult,
): void {
  if (violationCount === 0) return;
  const isNote = severity === 'note';
  const found = styled(
    io,
    isNote ? 'yellow' : 'red',
    `${check}: ${violationCount}${isNote ? ' notes' : ''}.`,
  );
  printLine(io.stdout, `${found} The rule: ${rule}`);
  for (const { problem, ...ids } of violations) {
    const named = Object.entries(ids).map(([name, value]) => `${name} ${String(value)}`);
    printLine(io.stdout, `  ${named.join('  ')}  ${problem}`);
  }
  if (violationCount > violations.length)
    printLine(io.stdout, `  … the first ${violations.length} of ${violationCount}`);
}

function printReport(
  io: CommandIo,
  { checks, failures, environmentCount, violationCount, noteCount }: VerificationReport,
): void {
  for (const check of checks) printFindings(io, check);
  for (const { check, environment_id: environmentId, message } of failures) {
    const where = environmentId === null ? '' : ` of environment ${environmentId}`;
    printLine(io.stdout, `${styled(io, 'red', `${check}${where}: could not run`)}, ${message}`);
  }
  const found = [
    violationCount === 0 ? 'no violations' : `${violationCount} violations`,
    ...(noteCount === 0 ? [] : [`${noteCount} notes`]),
    ...(failures.length === 0 ? [] : [`${failures.length} statements failed, so this is incomplete`]),
  ];
  printLine(
    io.stdout,
    styled(io, 'bold', `${checks.length} checks of ${environmentCount} environments: ${found.join(', ')}`),
  );
}

function collectHead(text: string, heads: readonly KeptHead[] = []): KeptHead[] {
  const head = parseKeptHead(text);
  if (head) return [...heads, head];
  // In an unquoted line of `actions head`, the time is a separate argument.
  if (heads.length > 0 && isTimeOfHead(text)) return [...heads];
  throw new InvalidArgumentError(
    'Enter a line that `actions head` prints: <position>:<64 hexadecimal digits>, with or without its time.',
  );
}

export function verifyCommand(io: CommandIo): Command {
  return new Command('verify')
    .description(
      'check all data against the rules for money, and the audit log against its hashes. It changes nothing. A violation breaks a rule. A note may be harmless, for example a time in the future because a clock was set back. Exit code 3: found violations, 1: some checks could not run, 0: no violations, but there may be notes',
    )
    .addOption(new Option('--json', 'print one line of JSON'))
    .addOption(
      new Option(
        '--audit-head <heads...>',
        'heads of the audit log that you stored earlier; the log must still contain each one',
      ).argParser(collectHead),
    )
    .addOption(
      new Option('--jobs <number>', 'how many environments to check at once, each on its own connection')
        .argParser(wholeNumber(1, 16))
        .default(1),
    )
    .action(({ json, auditHead, jobs }: { json?: boolean; auditHead?: KeptHead[]; jobs: number }) =>
      withReadOnlyDatabase(io, jobs, async (database) => {
        const progress = createProgress(io.stderr);
        const report = await createVerificationService(createVerificationStore(database), verificationChecks)
          .verify(
            (state) => {
              showProgress(progress, state);
            },
            auditHead,
            jobs,
          )
          .finally(progress.end);
        if (json) printLine(io.stdout, JSON.stringify(report));
        else printReport(io, report);
        if (report.violationCount > 0) io.exitCode = exitCodes.found;
        else if (report.failures.length > 0) io.exitCode = exitCodes.failed;
      }),
    );
}
