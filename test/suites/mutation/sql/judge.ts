import { createOwnedDatabase } from '../../../../src/db/roles/roles';
import { onSameServer, withClient } from '../postgres';
import { explanationOf } from './explained';
import { type Failure, runTests } from './run-tests';
import type { Result, Task } from './task';

/**
 * The test files that have detected mutants of a subject so far. They probably detect the next one
 * too.
 */
export class Killers {
  private readonly counts = new Map<string, number>();

  note(subject: string, file: string): void {
    const key = `${subject} ${file}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** The files, best first, otherwise in the given order. */
  order(subject: string, files: readonly string[]): string[] {
    const countOf = (file: string): number => this.counts.get(`${subject} ${file}`) ?? 0;
    return [...files].sort((a, b) => countOf(b) - countOf(a));
  }
}

/** Why PostgreSQL cannot plan a text; undefined if it can. */
async function problemOf(text: string, url: string): Promise<string | undefined> {
  return withClient(url, (client) =>
    client.query(`EXPLAIN (GENERIC_PLAN) ${text}`).then(
      () => undefined,
      (error: unknown) => String(error),
    ),
  );
}

export interface RuntimeOptions {
  /** For Jest: server and template. */
  environment: NodeJS.ProcessEnv;
  serverUrl: string;
  /** A migrated database that is never changed. */
  migratedUrl: string;
  killers: Killers;
}

/**
 * Determines whether a test detects a mutant.
 *
 * @param work the path of this mutant's files without an extension
 */
export async function judge(task: Task, runtimeOptions: RuntimeOptions, work: string): Promise<Result> {
  const { killers, migratedUrl } = runtimeOptions;
  const { subject, key, kind, assignment } = task;
  const startedAt = performance.now();
  const result = (verdict: Result['verdict'], by?: string): Result => ({
    subject,
    key,
    kind,
    verdict,
    ...(by === undefined ? {} : { by }),
    milliseconds: Math.round(performance.now() - startedAt),
  });

  const problem = assignment.do === 'change' ? await problemOf(assignment.text, migratedUrl) : undefined;
  if (problem !== undefined) return result('invalid', problem);

  const files = killers.order(subject, task.files);
  const failure = await withTemplate(task, runtimeOptions, (environment) =>
    firstRealFailure(assignment, files, environment, work),
  );
  const reason = explanationOf(subject, key);
  if (!failure) return reason === undefined ? result('survived') : result('explained', reason);
  if (reason !== undefined) return result('survived', 'the explanation is wrong: a test did notice it');
  killers.note(subject, failure.file);
  return result('killed', `${failure.file}: ${failure.test}`);
}

/** Failures that a busy machine may cause without a mutant. */
const byChance = /\b503\b|Exceeded timeout|took too long|did not happen within/;

/** The first failure that is not flaky; a possibly flaky one must recur in the same file. */
async function firstRealFailure(
  assignment: Task['assignment'],
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  work: string,
): Promise<Failure | undefined> {
  for (let rest = files; rest.length > 0;) {
    const failure = await runTests(assignment, rest, environment, work);
    if (!failure || !byChance.test(failure.message)) return failure;
    const again = await runTests(assignment, [failure.file], environment, work);
    if (again) return again;
    rest = rest.slice(rest.indexOf(failure.file) + 1);
  }
  return undefined;
}

/** A mutant of the schema has its own template. */
async function withTemplate<T>(
  { schemaChange }: Task,
  { environment, serverUrl }: RuntimeOptions,
  use: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  if (schemaChange === undefined) return use(environment);
  const template = environment['TEST_TEMPLATE_DATABASE'] ?? '';
  const name = `mutant_${process.hrtime.bigint()}`;
  await withClient(serverUrl, (client) => createOwnedDatabase(client, name, template));
  try {
    await withClient(onSameServer(serverUrl, name), (client) => client.query(schemaChange));
    return await use({ ...environment, TEST_TEMPLATE_DATABASE: name });
  } finally {
    await withClient(serverUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}
