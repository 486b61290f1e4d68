import { startEmbeddedDatabase } from '../../../src/db/embedded-database';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { citusSettings } from '../../support/citus/databases';
import { startOwnCluster } from '../../support/citus/own-cluster';
import { poolerSettings, setTimeouts } from '../../support/pooler';
import { startPgBouncer } from '../pgbouncer/pgbouncer';

/** A migrated database. */
export interface Server {
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  /** Settings that every process of the service needs. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

/** A slow database on a busy machine is not a failure here: only effects of restarts count. */
const limits = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
  DATABASE_STATEMENT_TIMEOUT_MS: '10000',
  DATABASE_LOCK_TIMEOUT_MS: '10000',
  DATABASE_ANSWER_TIMEOUT_MS: '12000',
};

/** An embedded PostgreSQL. */
export async function startPostgres(dataDirectory: string): Promise<Server> {
  const postgres = await startEmbeddedDatabase({ dataDirectory });
  const ownerUrl = postgres.connectionString('owner');
  await migrateUp({ connectionString: ownerUrl });
  return {
    ownerUrl,
    superuserUrl: postgres.connectionString('superuser'),
    settings: { ...limits, DATABASE_URL: postgres.connectionString('service') },
    stop: () => postgres.stop(),
  };
}

/** An embedded PostgreSQL. All processes of the service connect through PgBouncer. */
export async function startBehindPgBouncer(dataDirectory: string): Promise<Server> {
  const postgres = await startPostgres(dataDirectory);
  const service = new URL(postgres.settings['DATABASE_URL'] ?? '');
  const passwords = { owner: new URL(postgres.ownerUrl).password, service: service.password };
  await setTimeouts(service.href, limits);
  const pooler = await startPgBouncer(postgres.superuserUrl, passwords);
  service.hostname = '127.0.0.1';
  service.port = String(pooler.port);
  return {
    ...postgres,
    settings: { ...limits, ...poolerSettings, DATABASE_URL: service.href },
    async stop() {
      await pooler.stop();
      await postgres.stop();
    },
  };
}

/** A Citus cluster of three nodes. */
export async function startCitus(): Promise<Server> {
  const own = await startOwnCluster();
  const { database } = own;
  await setTimeouts(database.url, limits);
  return {
    ownerUrl: database.ownerUrl,
    superuserUrl: database.adminUrl,
    settings: { ...limits, ...citusSettings, DATABASE_URL: database.url },
    stop: () => own.remove(),
  };
}
