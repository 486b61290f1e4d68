import type { Knex } from 'knex';

import { MigrationError } from '../src/db/migrations/migration-error';
import { runFile } from '../src/db/migrations/run-file';
import { appliedFiles } from '../src/db/migrations/schema-files';
import { visibleName } from '../src/shared/company-name';

const sameNames = `
  SELECT array_agg(c.name ORDER BY c.created_at) AS names, array_agg(c.company_id::text ORDER BY c.created_at) AS ids
    FROM companies c
   GROUP BY company_name_skeleton(c.name) HAVING count(*) > 1
   ORDER BY min(c.name)`;

/**
 * Two names of companies differ in more than case, spaces and invisible characters. The constraint
 * of equal names stays, because commands of the release before name it.
 */
export async function up(knex: Knex): Promise<void> {
  const [file] = appliedFiles().filter(({ path }) => path.endsWith('/company_name_skeleton.sql'));
  if (!file) throw new Error('company_name_skeleton.sql is missing');
  await runFile(knex, file);
  const { rows } = await knex.raw<{ rows: { names: string[]; ids: string[] }[] }>(sameNames);
  if (rows.length > 0) {
    const groups = rows.map(({ names, ids }) =>
      names.map((name, index) => `"${visibleName(name)}" (company_id ${ids[index] ?? ''})`).join(' and '),
    );
    throw new MigrationError(
      `Names of companies must differ in more than case, spaces and invisible characters, but these do not: ${groups.join('; ')}. Rename all but one of each group with "companies rename" of the release that runs now. Then run npm run migrate again. Nothing changed.`,
    );
  }
  await knex.raw('CREATE UNIQUE INDEX companies_name_skeleton ON companies (company_name_skeleton(name))');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX companies_name_skeleton');
  await knex.raw('DROP FUNCTION company_name_skeleton(text)');
}
