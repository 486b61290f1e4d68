import type { Knex } from 'knex';

import { runFile } from '../src/db/migrations/run-file';
import { appliedFiles, functionOf, privilegesPath, tableFiles } from '../src/db/migrations/schema-files';

/** The tables of the first release. */
export async function up(knex: Knex): Promise<void> {
  for (const file of tableFiles()) await runFile(knex, file);
}

/** Also drops the functions, which no migration creates. */
export async function down(knex: Knex): Promise<void> {
  const tables = tableFiles().flatMap(({ text }) =>
    [...text.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name),
  );
  await knex.raw(`DROP TABLE ${tables.join(', ')}`);
  for (const file of appliedFiles()) {
    if (file.path !== privilegesPath) await knex.raw('DROP FUNCTION IF EXISTS ??', [functionOf(file)]);
  }
}
