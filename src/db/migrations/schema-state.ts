import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { Database } from '../pool/database';

/** The folder beside `src`, both in the sources and in the build. */
export const migrationsDirectory = path.join(__dirname, '..', '..', '..', 'migrations');

/** The names of this program's migrations in order, without `.ts` or `.js`. */
export function knownMigrations(): string[] {
  return readdirSync(migrationsDirectory)
    .filter((file) => /^\d+_\w+\.(ts|js)$/.test(file))
    .map((file) => file.replace(/\.(ts|js)$/, ''))
    .sort();
}

export interface SchemaState {
  /** In this program, but not applied to the database. */
  missing: string[];
  /** Applied to the database, but not in this program. */
  unknown: string[];
}

/** Compares this program's migrations with those applied to the database. */
export async function readSchemaState(database: Pick<Database, 'runUnprepared'>): Promise<SchemaState> {
  const known = knownMigrations();
  const [table] = await database.runUnprepared<{ exists: boolean }>(
    `SELECT to_regclass('knex_migrations') IS NOT NULL AS exists`,
    [],
  );
  if (!table?.exists) return { missing: known, unknown: [] };
  const rows = await database.runUnprepared<{ name: string }>(
    'SELECT name FROM knex_migrations ORDER BY id',
    [],
  );
  const applied = new Set(rows.map((row) => row.name));
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  };
}

/** What to do about missing migrations; undefined when there are none. */
export function missingMigrations({ missing }: SchemaState): string | undefined {
  if (missing.length === 0) return undefined;
  const count = missing.length === 1 ? '1 migration' : `${missing.length} migrations`;
  return `The database lacks ${count}. The first is ${missing[0] ?? ''}. Run: npm run migrate`;
}

/** Why the service refuses to start on this schema; undefined when the schema matches. */
export function schemaProblem(state: SchemaState): string | undefined {
  const { unknown } = state;
  if (unknown.length > 0) {
    return `The database has migrations that this version does not know. The last is ${unknown.at(-1) ?? ''}. Start the version that includes them, or use that version to revert them: npm run migrate:down`;
  }
  return missingMigrations(state);
}
