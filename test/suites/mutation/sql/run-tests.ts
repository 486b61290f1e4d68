import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Assignment } from './assignment';

const root = path.join(__dirname, '..', '..', '..', '..');
const mostMilliseconds = 1_800_000;

/** The first failed test; undefined if none failed. */
export interface Failure {
  file: string;
  test: string;
  message: string;
}

interface JestReport {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/**
 * Runs test files, or all of them if none is named, until the first failure.
 *
 * @param work a path without an extension for the files that are exchanged with Jest
 * @throws Error when Jest fails for another reason than a failing test
 */
export async function runTests(
  assignment: Assignment,
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  work: string,
): Promise<Failure | undefined> {
  const [assignmentFile, reportFile] = [`${work}.assignment.json`, `${work}.report.json`];
  writeFileSync(assignmentFile, JSON.stringify(assignment, null, 2));
  const some = files.length > 0 ? ['--runInBand', '--runTestsByPath', ...files] : [];
  const jest = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      '--config',
      'test/suites/mutation/sql/jest.config.js',
      '--json',
      '--outputFile',
      reportFile,
      ...some,
    ],
    {
      cwd: root,
      stdio: 'ignore',
      timeout: mostMilliseconds,
      killSignal: 'SIGKILL',
      env: {
        ...process.env,
        ...environment,
        MUTATION_ASSIGNMENT: assignmentFile,
        ...(files.length > 0 ? { MUTATION_TEST_FILES: JSON.stringify(files) } : {}),
      },
    },
  );
  const [code, signal] = (await once(jest, 'exit')) as [number | null, string | null];
  if (signal !== null) return { file: files[0] ?? '', test: '(jest)', message: 'it took too long' };
  if (code === 0) return undefined;
  return firstFailure(JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport);
}

function firstFailure(report: JestReport): Failure {
  for (const { name, assertionResults, message } of report.testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    const file = path.relative(root, name);
    if (failed) return { file, test: failed.fullName, message: failed.failureMessages[0] ?? '' };
    if (assertionResults.length === 0 && message !== '') throw new Error(`${file} could not run: ${message}`);
  }
  throw new Error('jest failed without a failing test');
}
