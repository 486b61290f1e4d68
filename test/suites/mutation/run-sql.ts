import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { loadModule } from 'pgsql-parser';

import { createOwnedDatabase } from '../../../src/db/roles/roles';
import { loadFunctionParser, readFunctions } from '../../support/database-functions';
import { onSameServer, withClient, withPostgres } from './postgres';
import type { Recording } from './sql/assignment';
import { unusedExplanations } from './sql/explained';
import { functionTasks } from './sql/function-tasks';
import { judge, Killers, type RuntimeOptions } from './sql/judge';
import { neverRun, readRecordings, statementTasks } from './sql/recordings';
import { report } from './sql/report';
import { runTests } from './sql/run-tests';
import { schemaTasks, tenantTables } from './sql/schema-tasks';
import type { Result, Task } from './sql/task';

/**
 * `npm run test:suite mutation sql`: removes every condition of the SQL that uses tenant data, and
 * every constraint of its tables, one at a time. Exits with 1 if no test detects one of them.
 *
 * Arguments select mutants by a part of their name: `npm run test:suite mutation sql
 * create_transaction`. With --recorded it reuses the recorded statements of the previous run.
 */
const directory = path.resolve('reports', 'mutation-sql');
const recorded = path.join(directory, 'recorded');
const isRecorded = process.argv.includes('--recorded');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--recorded');
const runsAtOnce = 2;
// A connectable copy of the template: the template itself must have no connections while it is
// copied.
const migrated = 'contribution_migrated';

async function main(): Promise<void> {
  if (!isRecorded) rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  await loadModule();
  await loadFunctionParser();
  const results = await withPostgres(async (environment) => {
    const serverUrl = environment['TEST_POSTGRES_URL'] ?? '';
    const template = environment['TEST_TEMPLATE_DATABASE'] ?? '';
    await withClient(serverUrl, (client) => createOwnedDatabase(client, migrated, template));
    const migratedUrl = onSameServer(serverUrl, migrated);
    const tasks = await findTasks(await record(environment), migratedUrl);
    return judgeAll(tasks, { environment, serverUrl, migratedUrl, killers: new Killers() });
  });
  writeFileSync(path.join(directory, 'result.json'), JSON.stringify(results, null, 2));
  print(report(results));
  if (results.some(({ verdict }) => verdict === 'survived')) process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs the tests once without a mutant, to see that they pass and to record the statements of each
 * test.
 */
async function record(environment: NodeJS.ProcessEnv): Promise<Recording[]> {
  if (isRecorded) return readRecordings(recorded);
  print('The tests without a mutant…');
  const work = path.join(directory, 'without-mutant');
  const failure = await runTests({ do: 'record', directory: recorded }, [], environment, work);
  if (failure) throw new Error(`without any mutant: ${failure.file}: ${failure.test}: ${failure.message}`);
  const recordings = readRecordings(recorded);
  const missed = neverRun(recordings);
  if (missed.length > 0) throw new Error(`no test runs ${missed.join(', ')}`);
  return recordings;
}

async function findTasks(recordings: readonly Recording[], migratedUrl: string): Promise<Task[]> {
  const tasks = await withClient(migratedUrl, async (client) => {
    const tables = await tenantTables(client);
    return [
      ...statementTasks(recordings, tables),
      ...functionTasks(await readFunctions(client), recordings),
      ...(await schemaTasks(client, recordings, tables)),
    ];
  });
  const needless = unusedExplanations(tasks);
  if (needless.length > 0) throw new Error(`explained.ts has no mutant for ${needless.join(', ')}`);
  const isSelected = ({ subject, key }: Task) => wanted.some((text) => `${subject} ${key}`.includes(text));
  return wanted.length === 0 ? tasks : tasks.filter(isSelected);
}

async function judgeAll(tasks: readonly Task[], runtimeOptions: RuntimeOptions): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = tasks.entries();
  const work = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      const result = await judge(task, runtimeOptions, path.join(directory, `mutant-${index}`));
      results[index] = result;
      const { verdict, subject, key, milliseconds } = result;
      print(`${index + 1}/${tasks.length} ${verdict} ${subject}: ${key} (${milliseconds} ms)`);
    }
  };
  await Promise.all(Array.from({ length: runsAtOnce }, work));
  return results;
}

main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
