import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { credentials, runsAsRoot, unprivilegedAccount } from '../../packages/local-postgres/src/account';
import { serverEnvironment } from '../../packages/local-postgres/src/environment';
import { startEmbeddedDatabase } from '../../src/db/embedded-database';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from '../../src/db/roles/roles';
import { startCitusCluster } from '../../test/support/citus/cluster';
import { createCitusDatabase, dropCitusDatabase, onDatabase } from '../../test/support/citus/databases';
import { freePort } from '../../test/support/program';

/** A server, or the nodes of a cluster with the coordinator first, as superuser. */
export interface Server {
  urls: string[];
  stop(): Promise<void>;
}

const run = promisify(execFile);

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'compare-schema-'));
  // If this process is root, PostgreSQL runs under another account, which must reach the folder.
  chmodSync(folder, 0o711);
  return folder;
}

async function startEmbedded(): Promise<Server> {
  const dataDirectory = createFolder();
  const remove = (): void => {
    rmSync(dataDirectory, { recursive: true, force: true });
  };
  try {
    const postgres = await startEmbeddedDatabase({ dataDirectory, settings: { fsync: 'off' } });
    return {
      urls: [postgres.connectionString('superuser', 'postgres')],
      async stop() {
        await postgres.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

const debianPrograms = '/usr/lib/postgresql/15/bin';

async function startDebian(): Promise<Server> {
  if (!existsSync(debianPrograms)) throw new Error(`there is no ${debianPrograms}`);
  const account = runsAsRoot() ? await unprivilegedAccount() : undefined;
  const options = { ...credentials(account), cwd: '/', env: serverEnvironment() };
  const folder = createFolder();
  if (account) chownSync(folder, account.uid, account.gid);
  const [data, port] = [path.join(folder, 'data'), await freePort()];
  const control = (...command: string[]): Promise<unknown> =>
    run(path.join(debianPrograms, 'pg_ctl'), ['-D', data, '-w', ...command], options);
  const stop = async (): Promise<void> => {
    await control('-m', 'immediate', 'stop').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  const settings = `-p ${port} -F -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  try {
    await run(path.join(debianPrograms, 'initdb'), initdb, options);
    await control('-l', path.join(folder, 'log'), '-o', settings, 'start');
    return { urls: [`postgres://postgres@127.0.0.1:${port}/postgres`], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The installer ends its process if it cannot install. */
const installer = `import { installCitus } from './test/support/citus/install.mjs'; installCitus()`;

async function startCitus(): Promise<Server> {
  const root = path.join(__dirname, '..', '..');
  await run(process.execPath, ['--input-type=module', '-e', installer], { cwd: root }).catch(
    (error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(/^skipped: (.*)/m.exec(`${stdout}\n${stderr}`)?.[1] ?? stderr, { cause: error });
    },
  );
  const cluster = await startCitusCluster();
  return { urls: cluster.nodes.map((node) => node.url('postgres')), stop: () => cluster.remove() };
}

export const ownServers: Record<string, () => Promise<Server>> = {
  'embedded PostgreSQL': startEmbedded,
  "Debian's PostgreSQL 15": startDebian,
  'Citus with two workers': startCitus,
};

export const givenServer = (url: string): Promise<Server> =>
  Promise.resolve({ urls: [url], stop: () => Promise.resolve() });

const password = randomBytes(24).toString('base64url');

export async function createRoles({ urls }: Server): Promise<void> {
  for (const url of urls)
    await onDatabase(url, (client) => ensureRoles(client, { owner: password, service: password }));
}

export const readVersion = ({ urls: [url = ''] }: Server): Promise<string> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? '';
  });

/** Few shards make the comparison fast, and each worker has several. */
const shardCount = 4;

export async function createDatabase({ urls }: Server, name: string): Promise<void> {
  const [url = '', ...workers] = urls;
  if (workers.length > 0) await createCitusDatabase(urls, name, shardCount);
  else await onDatabase(url, (client) => createOwnedDatabase(client, name));
}

export const dropDatabase = ({ urls }: Server, name: string): Promise<void> => dropCitusDatabase(urls, name);

/** The URL of a database, for the superuser of the given URL or for another role. */
export function urlOf(serverUrl: string, database: string, role?: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  if (role !== undefined) [url.username, url.password] = [role, password];
  return url.href;
}

/** The settings with which a revision migrates a database. */
export const settingsFor = (
  { urls: [url = '', ...workers] }: Server,
  database: string,
): NodeJS.ProcessEnv => ({
  ENV_FILE: 'off',
  ALLOW_PLAIN_HTTP: 'on',
  DATABASE_OWNER_URL: urlOf(url, database, ownerRole),
  DATABASE_URL: urlOf(url, database, serviceRole),
  ...(workers.length > 0 ? { DATABASE_TIMEOUTS: 'role' } : {}),
});
