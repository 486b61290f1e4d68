import { constants } from 'node:fs';
import { access, chmod, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { runsAsRoot } from './account';
import { findPackage, prepareBinaries, type Binaries } from './binaries';
import { ensureCluster } from './cluster';
import { CannotRun } from './cannot-run';
import { connectionString, type Contents, ensureDatabase, noContents, superuserName } from './contents';
import { locateCluster, type ClusterLocation } from './location';
import { errorCode, explainFullDisk, isFullDisk } from './files';
import { dropOwnership, readOwner, takeOwnership } from './owner';
import { type Passwords, readOrCreatePasswords } from './passwords';
import { findPostmaster, readPostmasterFile } from './postmaster';
import { isAlive } from './process-identity';
import {
  launchServer,
  stopServer,
  type RunningServer,
  waitUntilEnded,
  waitUntilReady,
} from './server-process';
import { withStartLock } from './start-lock';

export interface LocalPostgresOptions<Role extends string> {
  /** Absolute path of the folder of the cluster, passwords and log. Created if missing. */
  dataDirectory: string;
  /**
   * For clusters and programs when this process is root, and the account of the server has no
   * access to the data folder. Unlike the temporary folder, it survives a reboot.
   */
  durableDirectory?: string;
  /** Without it, the server has only the superuser and the database `postgres`. */
  contents?: Contents<Role>;
  /** Extra server settings, e.g. { fsync: 'off' } for tests. */
  settings?: Record<string, string>;
  /** Called with a line for each slow step, for example "starting PostgreSQL on port 54321". */
  onProgress?: (line: string) => void;
}

export interface LocalPostgres<Role extends string = never> {
  /** `started` by this process, or `attached` to the server of another process. */
  readonly origin: 'started' | 'attached';
  readonly port: number;
  /** The process id of the postmaster. */
  readonly processId: number;
  /** A postgres:// address with the role's password (default database: the one of `contents`). */
  connectionString(role: Role | 'superuser', database?: string): string;
  /** If this process owns the server, stops it and waits until it has ended. Idempotent. */
  stop(): Promise<void>;
}

interface Context {
  contents: Contents<string>;
  location: ClusterLocation;
  binaries: Binaries;
  passwords: Passwords<'superuser'>;
  logFile: string;
  settings: Readonly<Record<string, string>>;
  onProgress: (line: string) => void;
}

/**
 * Starts PostgreSQL on the data folder, or joins the server that already runs there.
 *
 * @throws CannotRun, or another Error with instructions; it leaves nothing running
 */
export const startLocalPostgres = <Role extends string = never>(
  options: LocalPostgresOptions<Role>,
): Promise<LocalPostgres<Role>> =>
  startOrJoin(options).catch(async (error: unknown) => {
    throw await explainFullDisk(error, options.dataDirectory);
  });

async function startOrJoin<Role extends string>({
  contents = noContents,
  durableDirectory = '/var/lib/local-postgres',
  settings = {},
  onProgress = () => undefined,
  ...options
}: LocalPostgresOptions<Role>): Promise<LocalPostgres<Role>> {
  const packageDirectory = findPackage();
  const dataDirectory = await openDataDirectory(options.dataDirectory);
  const whileWaiting = (holderPid?: number): void => {
    onProgress(
      `waiting for process ${holderPid ?? '(unknown)'}, which is starting or stopping the same database`,
    );
  };
  return withStartLock(dataDirectory, whileWaiting, async () => {
    const location = await locateCluster(dataDirectory, durableDirectory, onProgress);
    const copyParent = runsAsRoot() ? durableDirectory : dataDirectory;
    const { account } = location;
    const binaries = await prepareBinaries({ packageDirectory, copyParent, account, onProgress });
    const roleNames = { superuser: superuserName, ...contents.roleNames };
    const passwords = await readOrCreatePasswords<Role>(dataDirectory, location, roleNames);
    const context: Context = {
      contents,
      location,
      binaries,
      passwords,
      logFile: path.join(dataDirectory, 'postgres.log'),
      settings,
      onProgress,
    };
    const joined = await joinRunning(context);
    const origin = joined ? 'attached' : 'started';
    const server = joined ?? (await startServer(context));
    let stopping: Promise<void> | undefined;
    return {
      origin,
      port: server.port,
      processId: server.process.pid,
      connectionString: (role, database = contents.database) =>
        connectionString(server.port, roleNames[role], passwords[role], database),
      stop: () =>
        (stopping ??=
          origin === 'attached'
            ? Promise.resolve()
            : withStartLock(dataDirectory, whileWaiting, () => stopOwned(context, server)).catch(
                async (error: unknown) => {
                  // The folder was deleted while the server runs, or its disk is full.
                  if (errorCode(error) !== 'ENOENT' && !isFullDisk(error)) throw error;
                  await stopOwned(context, server);
                },
              )),
    };
  });
}

async function openDataDirectory(directory: string): Promise<string> {
  const isNew = (await mkdir(directory, { recursive: true })) !== undefined;
  // Keep the folder private. If this process is root, the server's account must be able to pass
  // through it. Secrets inside are 0600 or 0700 anyway.
  if (isNew) await chmod(directory, runsAsRoot() ? 0o711 : 0o700);
  await access(directory, constants.W_OK).catch((error: unknown) => {
    throw new CannotRun(
      `The data folder ${directory} is not writable for this account. Perhaps root created it. Start the program with the ` +
        'same account as before, or change the owner of the folder (chown -R).',
      { cause: error },
    );
  });
  return realpath(directory);
}

/** Uses the server of another process. Stops a server whose process has ended. */
async function joinRunning(context: Context): Promise<RunningServer | undefined> {
  const { location, binaries, onProgress } = context;
  const running = await findPostmaster(location.cluster);
  if (running === undefined) return undefined;
  const owner = await readOwner(location.home);
  const file = await readPostmasterFile(location.cluster);
  if (file?.status === 'stopping' && (await waitUntilEnded(running))) return undefined;
  if (!owner || !isAlive(owner)) {
    onProgress(`stopping the PostgreSQL of an earlier start (process ${running.pid})`);
    await stopServer(location.cluster, running, binaries);
    return undefined;
  }
  if (!(await waitUntilReady(location.cluster, running))) return undefined;
  const port = (await readPostmasterFile(location.cluster))?.port ?? 0;
  onProgress(`sharing the PostgreSQL of process ${owner.pid} on port ${port}`);
  await ensureDatabase(port, context.passwords, context.contents);
  return { process: running, port };
}

async function startServer(context: Context): Promise<RunningServer> {
  const { location, binaries, passwords, settings, onProgress } = context;
  const durable = settings.fsync !== 'off';
  await ensureCluster(location, binaries, { password: passwords.superuser, durable, onProgress });
  // Take ownership before the launch. If this process is killed during the launch, the next start
  // recognizes the server.
  await takeOwnership(location.home);
  try {
    const server = await launchServer(location, binaries, context);
    try {
      await ensureDatabase(server.port, context.passwords, context.contents);
    } catch (error) {
      await stopOwned(context, server);
      throw error;
    }
    return server;
  } catch (error) {
    await dropOwnership(location.home);
    throw error;
  }
}

async function stopOwned({ location, binaries }: Context, server: RunningServer): Promise<void> {
  await stopServer(location.cluster, server.process, binaries);
  // If our server had died earlier, another one may run there now.
  if ((await findPostmaster(location.cluster)) === undefined) await dropOwnership(location.home);
}
