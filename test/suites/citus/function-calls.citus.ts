import { readdirSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import type * as QueryModule from '../../../src/db/query';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { addContributions, callsOfFunctions, callsOfOperators } from '../../support/function-calls';

/**
 * The calls of functions that the service makes. Citus rejects a query of a function only when
 * the function runs it, and PostgreSQL accepts the same query.
 */
const mockQueries = new Map<string, string>();
jest.mock('../../../src/db/query', () => {
  const actual = jest.requireActual<typeof QueryModule>('../../../src/db/query');
  return {
    ...actual,
    query: (...declared: Parameters<typeof actual.query>) => {
      const made = actual.query(...declared);
      mockQueries.set(made.name, made.text);
      return made;
    },
  };
});

let database: TestDatabase;
let session: Client;

beforeAll(async () => {
  for (const folder of ['core', 'features']) {
    const root = path.join(__dirname, '..', '..', '..', 'src', folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.name.endsWith('.store.ts')) jest.requireActual(path.join(entry.parentPath, entry.name));
  }
  database = await createTestDatabase();
  session = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await session.connect();
});
afterAll(async () => {
  await session.end();
  await database.drop();
});

test('Citus accepts the statements of the functions that the service calls', async () => {
  const rejected: string[] = [];
  const stored = await addContributions(session);
  const calls = [...callsOfFunctions(stored, mockQueries), ...callsOfOperators()];
  for (const { situation, text, values } of calls) {
    expect(text).not.toBe('');
    await session.query('BEGIN');
    await session.query(text, [...values]).catch((error: unknown) => {
      rejected.push(`${situation}: ${String(error)}`);
    });
    await session.query('ROLLBACK');
  }
  expect(rejected).toEqual([]);
});
