import { Client } from 'pg';

import { DatabaseFailure, translateQueryError } from '../errors';
import { beginReadOnly, sessionSettings, settingNames, unsetSettings } from '../session-settings';
import { isDirect } from './direct';
import { roomTrial, roomTrialSettings, tryRoom } from './room-trial';

/** The facts that `doctor` reads about the server from one connection. */
export interface ConnectionProbe {
  role: string;
  isSuperuser: boolean;
  /** For example 150004. */
  serverVersion: number;
  /** Whether the server is a standby, which rejects writes. */
  isStandby: boolean;
  /** Why the database stores nothing, in PostgreSQL's words; undefined if it has room. */
  noRoom: string | undefined;
  /** Whether sessions of this login are read-only although the server is no standby. */
  isReadOnly: boolean;
  /** A text that is the same for two connections to the same database of the same server. */
  databaseIdentity: string;
  isEncrypted: boolean;
  /** Whether the server is this machine. */
  isLocal: boolean;
  /** How far the database's clock is ahead of this machine's, in milliseconds. */
  clockAheadMs: number;
  /** The maximum error of that measurement. */
  clockUncertaintyMs: number;
  /** Whether the connection goes through a pooler. */
  isPooled: boolean;
  /**
   * Whether the role may create temporary tables. They could hide the schema's tables of the same
   * name.
   */
  mayCreateTemporaryTables: boolean;
  /** The settings that a session of this login has if the program does not set them. */
  defaults: SessionDefault[];
}

/** A setting as in `pg_settings`. */
export interface SessionDefault {
  name: string;
  setting: string;
  /** For example `configuration file` or `database user`. */
  source: string;
}

type Storage = Pick<ConnectionProbe, 'noRoom' | 'isReadOnly'>;
type Row = Omit<ConnectionProbe, 'clockAheadMs' | 'clockUncertaintyMs' | 'isPooled' | keyof Storage>;

const readServer = `
  SELECT current_user AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
         current_setting('server_version_num')::integer AS "serverVersion",
         pg_is_in_recovery() AS "isStandby",
         concat_ws(' ', current_database(), (SELECT oid FROM pg_database WHERE datname = current_database()),
                   extract(epoch FROM pg_postmaster_start_time())) AS "databaseIdentity",
         COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
         inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr() AS "isLocal",
         has_database_privilege(current_database(), 'TEMPORARY') AS "mayCreateTemporaryTables",
         (SELECT jsonb_agg(jsonb_build_object('name', name, 'setting', setting, 'source', source) ORDER BY name)
            FROM pg_settings WHERE name = ANY ($1)) AS defaults`;

const clockReadings = 5;

/** Uses the reading with the shortest round trip, because it is the most precise. */
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

/** Makes the trial of `/health/ready`. */
async function readStorage(client: Client, isStandby: boolean): Promise<Storage> {
  try {
    // Otherwise, a default could end the connection with the trial.
    await client.query(beginReadOnly({ ...sessionSettings, ...roomTrialSettings }));
    await tryRoom(() =>
      client.query<{ isReadOnly: boolean }>(roomTrial).then(
        ({ rows }) => rows,
        (error: unknown) => {
          throw translateQueryError(error);
        },
      ),
    );
    return { noRoom: undefined, isReadOnly: false };
  } catch (error) {
    if (!(error instanceof DatabaseFailure) || !['no_room', 'read_only'].includes(error.reason)) throw error;
    const { reason, cause } = error;
    return {
      noRoom: reason === 'no_room' ? (cause as Error).message : undefined,
      isReadOnly: reason === 'read_only' && !isStandby,
    };
  } finally {
    await client.query('ROLLBACK');
  }
}

/** @throws when there is no connection */
export async function probeConnection(connectionString: string): Promise<ConnectionProbe> {
  // Sends no settings: it reads the defaults, also through a pooler.
  const client = new Client({
    connectionString,
    application_name: 'contribution-service doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(readServer, [[...settingNames, ...Object.keys(unsetSettings)]]);
    const [row] = rows;
    if (!row) throw new Error('the query about the connection returned no row');
    const storage = await readStorage(client, row.isStandby);
    const clock = await readClock(client);
    return {
      ...row,
      ...storage,
      clockAheadMs: clock.aheadMs,
      clockUncertaintyMs: clock.uncertaintyMs,
      isPooled: !(await isDirect(client)),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}
