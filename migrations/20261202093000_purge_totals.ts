import type { Knex } from 'knex';

const signature = 'purge_retired_environment(integer, integer)';

const figures = 'DELETE FROM project_figures f WHERE f.figures_scope = _environment_id;';
const figuresAndTotals = `${figures}
    DELETE FROM contribution_totals c WHERE c.environment_id = _environment_id;
    DELETE FROM contribution_totals_counted c WHERE c.environment_id = _environment_id;`;

async function replace(knex: Knex, before: string, after: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    'SELECT pg_get_functiondef(?::regprocedure) AS definition',
    [signature],
  );
  const [start, end, ...more] = rows[0].definition.split(before);
  if (start === undefined || end === undefined || more.length > 0) {
    throw new Error(`the definition of ${signature} is not the one that this migration changes`);
  }
  // Knex would take a question mark as a parameter.
  await knex.raw((start + after + end).replaceAll('?', '\\?'));
}

/** The purge of a retired environment also deletes its totals. */
export async function up(knex: Knex): Promise<void> {
  await replace(knex, figures, figuresAndTotals);
}

export async function down(knex: Knex): Promise<void> {
  await replace(knex, figuresAndTotals, figures);
}
