import { constants } from 'node:fs';
import { access, chmod, mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { runsAsRoot } from './account';
import { findPackage, prepareBinaries, type Binaries } from './binaries';
import { ensureCluster } from './cluster';
import { connectionString, type Contents, ensureDatabase, superuserName } from './database';
import { durableRoot, locateCluster, type Place } from './location';
import { errorCode } from './files';
import { dropOwnership, readOwner, takeOwnership } from './owner';
import { type EmbeddedRole, type Passwords, readOrCreatePasswords } from './passwords';
import { findPostmaster, readPostmasterFile } from './postmaster';
import { becameReady, hasEnded, launchServer, stopServer, type RunningServer } from './server-process';
import { withStartLock } from './start-lock';

export interface EmbeddedPostgresOptions {
  contents: Contents;
  /**
   * Absolute path of the folder that keeps everything (the checkout's `.data`). Created when
   * missing.
   */
  dataDirectory: string;
  /** Extra server settings, e.g. { fsync: 'off' } for tests. */
  settings?: Record<string, string>;
  /**
   * Told one line about each step that takes time ("creating the database cluster", "starting
   * PostgreSQL on port 54321").
   */
  onProgress?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /**
   * How this process came to the server: started it, took over one whose owner had died, or shares
   * another process's.
   */
  readonly origin: 'started' | 'adopted' | 'attached';
  readonly port: number;
  /** Of the postmaster. */
  readonly processId: number;
  /**
   * postgres://… of a database on this server (default: the one of the contents), on 127.0.0.1,
   * with the role's password.
   */
  connectionString(role: EmbeddedRole, database?: string): string;
  /**
   * Stops the server if this process owns it, and waits until it is gone; otherwise only lets go.
   * Idempotent.
   */
  stop(): Promise<void>;
}

interface Context {
  contents: Contents;
  place: Place;
  binaries: Binaries;
  passwords: Passwords;
  logFile: string;
  launch: string;
  settings: Readonly<Record<string, string>>;
  onProgress: (line: string) => void;
}

/**
 * Runs a PostgreSQL of the service's own on the folder, or joins the one that runs there already.
 * Rejects with an Error that says what to do; nothing is left running then.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const onProgress = options.onProgress ?? (() => undefined);
  const packageDirectory = findPackage();
  const dataDirectory = await openDataDirectory(options.dataDirectory);
  const whileWaiting = (holderPid?: number): void => {
    onProgress(
      `waiting for process ${holderPid ?? '(unknown)'}, which is starting or stopping the same database`,
    );
  };
  return withStartLock(dataDirectory, whileWaiting, async () => {
    const place = await locateCluster(dataDirectory, onProgress);
    const copyParent = runsAsRoot() ? durableRoot : dataDirectory;
    const { account } = place;
    const binaries = await prepareBinaries({ packageDirectory, copyParent, account, onProgress });
    const settings = options.settings ?? {};
    const { contents } = options;
    const roleNames = { superuser: superuserName, ...contents.roleNames };
    const context: Context = {
      contents,
      place,
      binaries,
      passwords: await readOrCreatePasswords(dataDirectory, place, roleNames),
      logFile: path.join(dataDirectory, 'postgres.log'),
      launch: JSON.stringify([binaries.postgres, Object.entries(settings).sort()]),
      settings,
      onProgress,
    };
    const [origin, server] = (await joinRunning(context)) ?? ['started', await startServer(context)];
    const { passwords } = context;
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
                  // The folder has been deleted, the server has not.
                  if (errorCode(error) !== 'ENOENT') throw error;
                  await stopOwned(context, server);
                },
              )),
    };
  });
}

async function openDataDirectory(directory: string): Promise<string> {
  const isNew = (await mkdir(directory, { recursive: true })) !== undefined;
  // Nobody else's business; root lets the server's account walk through. What is secret inside is
  // 0600 or 0700 anyway.
  if (isNew) await chmod(directory, runsAsRoot() ? 0o711 : 0o700);
  await access(directory, constants.W_OK).catch((error: unknown) => {
    throw new Error(
      `The data folder ${directory} is not writable for this account; was it created by root? Start the service as it was ` +
        'started then, give the folder to this account (chown -R), or set DATABASE_URL.',
      { cause: error },
    );
  });
  return realpath(directory);
}

/** Uses the server that runs on the cluster already, if it can be used. */
async function joinRunning(context: Context): Promise<['attached' | 'adopted', RunningServer] | undefined> {
  const { place, binaries, launch, onProgress } = context;
  const running = await findPostmaster(place.cluster);
  if (running === undefined) return undefined;
  const owner = await readOwner(place.home);
  const file = await readPostmasterFile(place.cluster);
  if (file?.status === 'stopping' && (await hasEnded(running.process))) return undefined;
  const isOwned = owner?.isAlive === true;
  if (!isOwned && owner?.launch !== launch) {
    onProgress(`stopping the PostgreSQL of an earlier start (process ${running.process.pid})`);
    await stopServer(place.cluster, running.process, binaries);
    return undefined;
  }
  if (!(await becameReady(place.cluster, running.process))) return undefined;
  const port = (await readPostmasterFile(place.cluster))?.port ?? 0;
  const server = { process: running.process, port };
  if (isOwned) {
    onProgress(`sharing the PostgreSQL of process ${owner.pid} on port ${port}`);
    await ensureDatabase(port, context.passwords, context.contents);
    return ['attached', server];
  }
  onProgress(`taking over the PostgreSQL of an earlier start on port ${port}`);
  await own(context, server);
  return ['adopted', server];
}

async function startServer(context: Context): Promise<RunningServer> {
  const { place, binaries, passwords, settings, onProgress } = context;
  const durable = settings.fsync !== 'off';
  await ensureCluster(place, binaries, { password: passwords.superuser, durable, onProgress });
  // Before the launch: should this process be killed during it, the next one knows what it finds.
  await takeOwnership(place.home, context.launch);
  try {
    const server = await launchServer(place, binaries, context);
    await own(context, server);
    return server;
  } catch (error) {
    await dropOwnership(place.home);
    throw error;
  }
}

/** Becomes responsible for the server. When it turns out to be unusable it is stopped. */
async function own(context: Context, server: RunningServer): Promise<void> {
  await takeOwnership(context.place.home, context.launch);
  try {
    await ensureDatabase(server.port, context.passwords, context.contents);
  } catch (error) {
    await stopOwned(context, server);
    throw error;
  }
}

async function stopOwned({ place, binaries }: Context, server: RunningServer): Promise<void> {
  await stopServer(place.cluster, server.process, binaries);
  // Another one runs there when ours had died before and was replaced.
  if ((await findPostmaster(place.cluster)) === undefined) await dropOwnership(place.home);
}
