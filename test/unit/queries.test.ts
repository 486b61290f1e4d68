import { readdirSync } from 'node:fs';
import path from 'node:path';

import type * as QueryModule from '../../src/db/query';
import type { Query } from '../../src/db/query';
import { rejectedByCitus } from '../support/citus/rejected-updates';
import { loadFunctionParser } from '../support/database-functions';
import { spanningQueries } from '../support/tenancy/spanning-queries';
import { unscopedUses } from '../support/tenancy/unscoped-uses';

/**
 * Every query of the request path as it is sent. The stores are loaded with a `query`
 * function that records them. Nothing runs, so no database is needed.
 */
const mockQueries: Query[] = [];
jest.mock('../../src/db/query', () => {
  const actual = jest.requireActual<typeof QueryModule>('../../src/db/query');
  return {
    ...actual,
    query: (...declared: Parameters<typeof actual.query>) => {
      const made = actual.query(...declared);
      mockQueries.push(made);
      return made;
    },
  };
});

beforeAll(async () => {
  await loadFunctionParser();
  for (const folder of ['core', 'features', 'operator']) {
    const root = path.join(__dirname, '..', '..', 'src', folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (/\.(store|read-model|query)\.ts$/.test(entry.name)) {
        jest.requireActual(path.join(entry.parentPath, entry.name));
      }
    }
  }
});

test('names are unique, because PostgreSQL keeps one text per name on each connection', () => {
  const names = mockQueries.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
});

test('every use of tenant data is bound to an environment, except in the listed statements', () => {
  const unscoped = mockQueries.filter(({ text }) => unscopedUses(text).length > 0);
  expect(unscoped.map(({ name }) => name).sort()).toEqual(Object.keys(spanningQueries).sort());
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

test('no update or deletion computes what Citus rejects', () => {
  const rejected = mockQueries.map(({ name, text }) => [name, rejectedByCitus(text)] as const);
  expect(rejected.filter(([, problems]) => problems.length > 0)).toEqual([]);
});

const inChoice = ['a time computed in CASE or COALESCE'];
const fromColumn = ['a time computed from a column'];
const withValue = ['CASE value WHEN instead of CASE WHEN'];

test.each([
  ['UPDATE t SET at = COALESCE(t.at, statement_timestamp()) WHERE t.id = $1', inChoice],
  ['UPDATE t SET at = CASE WHEN _is_done THEN now() END', inChoice],
  ["UPDATE t SET at = CASE WHEN _is_done THEN _now + interval '1 second' END", inChoice],
  ["UPDATE t SET at = CASE WHEN $1 THEN (_change ->> 'at')::timestamptz END", inChoice],
  ['DELETE FROM t WHERE COALESCE(t.at < CURRENT_TIMESTAMP, true)', inChoice],
  ["UPDATE t SET at = now() + t.seconds * interval '1 second'", fromColumn],
  ["DELETE FROM t WHERE t.at + interval '1 day' < _now", fromColumn],
  ["UPDATE t SET at = now(), state = CASE _state WHEN 'a' THEN t.state END", withValue],
  ["UPDATE t SET at = CASE WHEN _state = 'a' THEN COALESCE(t.at, _now) END", []],
  ["UPDATE t SET at = _now + _seconds * interval '1 second', number = t.number + 1", []],
  ["UPDATE t SET at = _now + CASE WHEN $1 THEN interval '1 second' END", []],
  ['UPDATE t SET at = LEAST(t.at, clock_timestamp()), until = COALESCE($1::timestamptz, t.until)', []],
  ['UPDATE knex_migrations SET migration_time = COALESCE(migration_time, now())', []],
  ['SELECT COALESCE(t.at, now()) FROM t', []],
])('the check itself: %s: %j', (sql, problems) => {
  expect(rejectedByCitus(sql)).toEqual(problems);
});

test('writing statements are marked as writes', () => {
  const writing = mockQueries.filter(({ writes }) => writes).map(({ name }) => name);
  expect(writing).toEqual(
    expect.arrayContaining(['create_transaction', 'complete_transaction', 'record_story_view']),
  );
  expect(writing).not.toContain('projects_stories_of_user');
  expect(writing).not.toContain('find_transaction');
});

// Completion and renaming are in functions: see test/schema/queries/functions.test.ts.
test('no statement updates a contribution, user or support, and only the listed statements delete rows', () => {
  const updating = mockQueries.filter(({ text }) =>
    /\bUPDATE (users|transactions|supports|events)\b/.test(text),
  );
  const removing = mockQueries.flatMap(({ text }) => text.match(/\b(DELETE|TRUNCATE)\b\s+\S+\s+\S+/g) ?? []);
  expect(removing.sort()).toEqual([
    'DELETE FROM project_figure_changes',
    'DELETE FROM sandbox_requests',
    'DELETE FROM statement_upload_chunks',
    'DELETE FROM statement_upload_chunks',
    'DELETE FROM statement_uploads',
    'DELETE FROM webhook_attempts',
    'DELETE FROM webhook_deliveries',
    'DELETE FROM webhook_endpoints',
    'DELETE FROM webhook_replays',
  ]);
  expect(updating).toEqual([]);
});
