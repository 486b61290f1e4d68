/**
 * The time before which every contribution is visible.
 *
 * `created_at` and `completed_at` come from the clock while their statement runs. An uncommitted
 * row therefore has a time at or after the start of its database transaction. pg_stat_activity
 * lists the running transactions of the same role. A transaction that starts later has
 * a later time than this statement. Run this statement before the rows are read, so that the
 * reader sees each transaction that is no longer running here.
 */
export const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until, statement_timestamp() AS read_at
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;
