/**
 * The time before which every contribution is visible.
 *
 * `created_at` and `completed_at` come from the clock while their statement runs. The times of an
 * uncommitted row are therefore not before the start of its database transaction. pg_stat_activity
 * lists the running transactions of the same role. Later transactions have later times than this
 * statement. Run this statement before the rows are read. The reader then sees every transaction
 * that no longer runs here.
 */
export const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until, statement_timestamp() AS read_at
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;
