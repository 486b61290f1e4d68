import { readdirSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import type * as StatementModule from '../../../src/db/statement';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { addContributions, callsOfFunctions, callsOfOperators } from '../../support/function-calls';

/**
 * The calls of functions that the service makes. Citus rejects a statement of a function only when
 * the function runs it, and PostgreSQL accepts the same statement.
 */
const mockStatements = new Map<string, string>();
jest.mock('../../../src/db/statement', () => {
  const actual = jest.requireActual<typeof StatementModule>('../../../src/db/statement');
  return {
    ...actual,
    statement: (...declared: Parameters<typeof actual.statement>) => {
      const made = actual.statement(...declared);
      mockStatements.set(made.name, made.text);
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
  const calls = [...callsOfFunctions(stored, mockStatements), ...callsOfOperators()];
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
