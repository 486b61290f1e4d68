import { readdirSync } from 'node:fs';
import path from 'node:path';

import type * as StatementModule from '../../src/db/statement';
import type { Statement } from '../../src/db/statement';
import { spanningStatements } from '../support/tenancy/spanning-statements';
import { unscopedUses } from '../support/tenancy/unscoped-uses';

/**
 * Every statement of the request path as it is sent. The stores are loaded with a `statement`
 * function that records them. Nothing runs, so no database is needed.
 */
const mockStatements: Statement[] = [];
jest.mock('../../src/db/statement', () => {
  const actual = jest.requireActual<typeof StatementModule>('../../src/db/statement');
  return {
    ...actual,
    statement: (...declared: Parameters<typeof actual.statement>) => {
      const made = actual.statement(...declared);
      mockStatements.push(made);
      return made;
    },
  };
});

beforeAll(() => {
  for (const folder of ['modules', 'operator']) {
    const root = path.join(__dirname, '..', '..', 'src', folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (/\.(store|read-model|statement)\.ts$/.test(entry.name)) {
        jest.requireActual(path.join(entry.parentPath, entry.name));
      }
    }
  }
});

test('names are unique, because PostgreSQL keeps one text per name on each connection', () => {
  const names = mockStatements.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
});

test('every use of tenant data is bound to an environment, except in the listed statements', () => {
  const unscoped = mockStatements.filter(({ text }) => unscopedUses(text).length > 0);
  expect(unscoped.map(({ name }) => name).sort()).toEqual(Object.keys(spanningStatements).sort());
});

test.each([
  ['SELECT u.user_id FROM users u WHERE u.user_hash = $2', 1],
  ['SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = $2', 0],
  ['INSERT INTO supports (user_id, environment_id) VALUES ($1, $2)', 1],
  ['INSERT INTO story_views AS v (environment_id, user_id) VALUES ($1, $2)', 0],
  ['UPDATE transactions t SET status = $1 WHERE t.transaction_id = $2', 1],
])('the check itself: %s has %d problems', (sql, count) => {
  expect(unscopedUses(sql)).toHaveLength(count);
});

const choices = /\bCOALESCE\((?:[^()]|\(\))*\)|\bCASE\b.*?\bEND\b/gs;

/** Citus rejects an UPDATE in which COALESCE or CASE has both a column and the time. */
const choosesTime = (sql: string): boolean =>
  /^\s*UPDATE\b/.test(sql) &&
  (sql.match(choices) ?? []).some(
    (choice) => /\w\.\w/.test(choice) && /\b(statement_timestamp|clock_timestamp|now)\(\)/.test(choice),
  );

test('no update lets Citus choose between a column and the time', () => {
  expect(mockStatements.filter(({ text }) => choosesTime(text)).map(({ name }) => name)).toEqual([]);
});

test.each([
  ['UPDATE t SET at = COALESCE(t.at, statement_timestamp()) WHERE t.id = $1', true],
  ['UPDATE t SET at = CASE WHEN t.is_done THEN now() END', true],
  ['UPDATE t SET at = CASE WHEN $1 THEN now() END, by = COALESCE(t.by, $2), touched_at = now()', false],
  ['UPDATE t SET at = LEAST(t.at, clock_timestamp())', false],
  ['SELECT COALESCE(t.at, now()) FROM t', false],
])('the check itself: %s: %s', (sql, isFound) => {
  expect(choosesTime(sql)).toBe(isFound);
});

test('writing statements are marked as writes', () => {
  const writing = mockStatements.filter(({ writes }) => writes).map(({ name }) => name);
  expect(writing).toEqual(
    expect.arrayContaining(['create_transaction', 'complete_transaction', 'record_story_view']),
  );
  expect(writing).not.toContain('projects_stories_of_user');
  expect(writing).not.toContain('find_transaction');
});

// Completion and renaming are in functions: see test/schema/statements/functions.test.ts.
test('no statement updates a contribution, user or support, and only the listed statements delete rows', () => {
  const updating = mockStatements.filter(({ text }) =>
    /\bUPDATE (users|transactions|supports|events)\b/.test(text),
  );
  const removing = mockStatements.flatMap(
    ({ text }) => text.match(/\b(DELETE|TRUNCATE)\b\s+\S+\s+\S+/g) ?? [],
  );
  expect(removing.sort()).toEqual([
    'DELETE FROM project_figure_changes',
    'DELETE FROM sandbox_requests',
    'DELETE FROM webhook_attempts',
    'DELETE FROM webhook_endpoints',
    'DELETE FROM webhook_replays',
  ]);
  expect(updating).toEqual([]);
});
