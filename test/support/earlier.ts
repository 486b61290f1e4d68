/**
 * SQL for a time before a column's time. Citus rejects `timestamptz - interval` in an UPDATE,
 * because it depends on the session's time zone.
 *
 * @param interval for example `25 hours`
 */
export const earlier = (column: string, interval: string): string =>
  `(${column} AT TIME ZONE 'UTC' - interval '${interval}') AT TIME ZONE 'UTC'`;
