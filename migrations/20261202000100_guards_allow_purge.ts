import type { Knex } from 'knex';

const guards = ['guard_transactions()', 'guard_events()', 'guard_money_returns()'];

/** A condition of the row, not of the session: no setting opens the guard for other rows. */
const exception = `
      IF TG_OP = 'DELETE' THEN
        -- Of an environment that a reset retired a week ago.
        IF EXISTS (SELECT FROM environments e
                    WHERE e.environment_id = OLD.environment_id
                      AND e.retired_at < clock_timestamp() - interval '7 days') THEN
          RETURN OLD;
        END IF;
      END IF;`;

async function change(knex: Knex, signature: string, edit: (definition: string) => string): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    'SELECT pg_get_functiondef(?::regprocedure) AS definition',
    [signature],
  );
  const [{ definition }] = rows;
  const edited = edit(definition);
  if (edited === definition) throw new Error(`${signature} is not the function that this migration changes`);
  await knex.raw(edited.replaceAll('?', '\\?'));
}

/** The guards let the rows of environments go that were retired seven days ago. */
export async function up(knex: Knex): Promise<void> {
  for (const guard of guards)
    await change(knex, guard, (text) => text.replace(/\bBEGIN\b/, () => `BEGIN${exception}`));
}

export async function down(knex: Knex): Promise<void> {
  for (const guard of guards) await change(knex, guard, (text) => text.replace(exception, ''));
}
