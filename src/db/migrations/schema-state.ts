import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { Database } from '../pool/database';

/** Where the migrations are: beside `src` in the sources, and beside it in the build. */
export const migrationsDirectory = path.join(__dirname, '..', '..', '..', 'migrations');

/**
 * Names of the migrations that this program brings, in order, without .ts or .js: both are one and
 * the same.
 */
export function knownMigrations(): string[] {
  return readdirSync(migrationsDirectory)
    .filter((file) => /^\d+_\w+\.(ts|js)$/.test(file))
    .map((file) => file.replace(/\.(ts|js)$/, ''))
    .sort();
}

export interface SchemaState {
  /** Known here, not applied there. */
  missing: string[];
  /** Applied there, not known here. */
  unknown: string[];
}

/** Compares the migrations of this program with those that the database has. */
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

/** What to do about migrations that are missing; undefined when none is. */
export function missingMigrations({ missing }: SchemaState): string | undefined {
  if (missing.length === 0) return undefined;
  return `The database lacks ${missing.length} migration(s), the first is ${missing[0] ?? ''}. Run: npm run migrate`;
}

/** Why a start on this schema is refused; undefined when it fits. */
export function schemaProblem(state: SchemaState): string | undefined {
  const { unknown } = state;
  if (unknown.length > 0) {
    return `The database has migrations that this version does not know, the last is ${unknown.at(-1) ?? ''}. Start the version that brought them, or undo them with it: npm run migrate:down`;
  }
  return missingMigrations(state);
}
