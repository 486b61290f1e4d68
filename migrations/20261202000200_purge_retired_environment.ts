import type { Knex } from 'knex';

/** The tables of a tenant's rows, and their primary key. Tables that refer to others come first. */
const parts: readonly (readonly [table: string, key: string, condition?: string])[] = [
  ['event_queue', 'event_id'],
  ['feed_events', 'sequence'],
  ['feeds', 'environment_id'],
  ['sandbox_faults', 'operation, kind'],
  ['sandbox_requests', 'received_at, entry_id'],
  ['sandbox_settlements', 'transaction_id, attempt'],
  ['events', 'event_id'],
  // An undo refers to its return.
  ['money_returns', 'return_id', 'undoes IS NOT NULL'],
  ['money_returns', 'return_id'],
  ['transactions', 'transaction_id'],
  ['supports', 'user_id, project_id'],
  ['story_views', 'user_id, project_id'],
  ['users', 'user_id'],
  ['project_figure_changes', 'change_id'],
];

const deletion = ([table, key, condition = 'true']: (typeof parts)[number]): string => `
  DELETE FROM ${table} d
   WHERE d.environment_id = _environment_id AND (${key}) IN (
     SELECT ${key} FROM ${table} s WHERE s.environment_id = _environment_id AND ${condition} LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;`;

/**
 * Operators may not delete contributions. They call this function, which deletes only the rows of
 * an environment that a reset retired seven days ago.
 */
const purge = `
  CREATE FUNCTION purge_retired_environment(_environment_id integer, _most integer)
  RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  -- Deletes up to _most rows of a retired environment, and returns how many. With 0, none is left.
  -- The environment, its revoked key pairs and its ended links stay: other rows refer to them.
  DECLARE
    _count integer;
    _now timestamptz := clock_timestamp();
  BEGIN
    IF NOT EXISTS (SELECT FROM environments e
                    WHERE e.environment_id = _environment_id
                      AND e.retired_at < _now - interval '7 days') THEN
      RAISE EXCEPTION 'environment % was not retired seven days ago', _environment_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'environments_purged_after_seven_days', TABLE = 'environments';
    END IF;
${parts.map(deletion).join('\n')}

    -- After the changes: what a process added up meanwhile is visible here.
    DELETE FROM project_figures f WHERE f.figures_scope = _environment_id;
    UPDATE environments e SET purged_at = _now
     WHERE e.environment_id = _environment_id AND e.purged_at IS NULL;
    RETURN 0;
  END $$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(purge);
  await knex.raw('REVOKE ALL ON FUNCTION purge_retired_environment(integer, integer) FROM PUBLIC');
  await knex.raw(
    'GRANT EXECUTE ON FUNCTION purge_retired_environment(integer, integer) TO contribution_operator',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION purge_retired_environment(integer, integer)');
}
