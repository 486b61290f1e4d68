import { Client } from 'pg';

import { isDirect } from './direct';

/** What one connection tells of the server behind it. */
export interface ConnectionProbe {
  role: string;
  isSuperuser: boolean;
  /** As 150004. */
  serverVersion: number;
  /** A standby, which refuses writes. */
  isStandby: boolean;
  /** The same text for two connections to the same database of the same server. */
  databaseIdentity: string;
  isEncrypted: boolean;
  /** The server is this machine. */
  isLocal: boolean;
  /**
   * How far the clock of the database is ahead of this machine's, in milliseconds, and how sure
   * that is.
   */
  clockAheadMs: number;
  clockUncertaintyMs: number;
  /** There is a pooler in between. */
  isPooled: boolean;
  /** May make temporary tables, which could hide the schema's own. */
  mayMakeTemporaryTables: boolean;
}

interface Row {
  role: string;
  is_superuser: boolean;
  version: number;
  is_standby: boolean;
  identity: string;
  is_encrypted: boolean;
  is_local: boolean;
  may_make_temporary_tables: boolean;
}

const look = `
  SELECT current_user AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
         current_setting('server_version_num')::integer AS version,
         pg_is_in_recovery() AS is_standby,
         concat_ws(' ', current_database(), (SELECT oid FROM pg_database WHERE datname = current_database()),
                   extract(epoch FROM pg_postmaster_start_time())) AS identity,
         COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS is_encrypted,
         inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr() AS is_local,
         has_database_privilege(current_database(), 'TEMPORARY') AS may_make_temporary_tables`;

const clockReadings = 5;

/** The reading whose round trip was the shortest says most. */
async function readClock(client: Client): Promise<{ aheadMs: number; uncertaintyMs: number }> {
  let best = { aheadMs: 0, uncertaintyMs: Infinity };
  for (let reading = 0; reading < clockReadings; reading += 1) {
    const sentAt = Date.now();
    const { rows } = await client.query<{ now: string }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS now',
    );
    const repliedAt = Date.now();
    const uncertaintyMs = (repliedAt - sentAt) / 2;
    const aheadMs = Number(rows[0]?.now) - (sentAt + repliedAt) / 2;
    if (uncertaintyMs < best.uncertaintyMs) best = { aheadMs, uncertaintyMs };
  }
  return best;
}

/** Connects once and looks. @throws whatever says that there is no connection */
export async function probeConnection(connectionString: string): Promise<ConnectionProbe> {
  const client = new Client({
    connectionString,
    application_name: 'contribution-service doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(look);
    const [row] = rows;
    if (!row) throw new Error('the look at the connection has no row');
    const clock = await readClock(client);
    return {
      role: row.role,
      isSuperuser: row.is_superuser,
      serverVersion: row.version,
      isStandby: row.is_standby,
      databaseIdentity: row.identity,
      isEncrypted: row.is_encrypted,
      isLocal: row.is_local,
      clockAheadMs: clock.aheadMs,
      clockUncertaintyMs: clock.uncertaintyMs,
      isPooled: !(await isDirect(client)),
      mayMakeTemporaryTables: row.may_make_temporary_tables,
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}
