import type { Knex } from 'knex';

import {
  functionFiles,
  nameOf,
  privilegesFile,
  runFile,
  tableFiles,
} from '../src/db/migrations/schema-files';
import { checkRoles } from '../src/db/roles/required-roles';

/** The schema of the first release: all files of `database/`. */
export async function up(knex: Knex): Promise<void> {
  await checkRoles(knex);
  for (const file of [...tableFiles(), ...functionFiles(), privilegesFile()]) await runFile(knex, file);
}

export async function down(knex: Knex): Promise<void> {
  const tables = tableFiles().flatMap(({ text }) =>
    [...text.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name),
  );
  await knex.raw(`DROP TABLE ${tables.join(', ')}`);
  for (const file of functionFiles()) await knex.raw('DROP FUNCTION ??', [nameOf(file)]);
}
