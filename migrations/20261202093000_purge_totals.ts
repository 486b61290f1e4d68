import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

const figures = 'DELETE FROM project_figures f WHERE f.figures_scope = _environment_id;';
const figuresAndTotals = `${figures}
    DELETE FROM contribution_totals c WHERE c.environment_id = _environment_id;
    DELETE FROM contribution_totals_counted c WHERE c.environment_id = _environment_id;`;

/** The purge of a retired environment also deletes its totals. */
export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, figures, figuresAndTotals);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, figuresAndTotals, figures);
}
