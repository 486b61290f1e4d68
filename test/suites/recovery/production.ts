import { randomBytes } from 'node:crypto';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from '../../../src/db/roles/roles';
import { PostgresServer } from '../faults/postgres/postgres-server';
import { freePort, root } from '../../support/program';
import type { PostgresPrograms } from './postgres-programs';

export const databaseName = 'contribution_service';
const backupRole = 'contribution_backup';
/** Short, so that a run has several segments; the operations guide uses 60 s. */
const archiveTimeout = '2s';

const secret = (): string => randomBytes(12).toString('hex');

/** The passwords of a cluster. They are in its files, so a restored copy has them too. */
const passwords = { superuser: secret(), owner: secret(), service: secret(), backup: secret() };

/** The folder of a server of this cluster or of a copy. */
export async function serverIn(
  programs: PostgresPrograms,
  name: string,
  directory: string,
): Promise<PostgresServer> {
  return new PostgresServer({
    name,
    directory,
    binaries: programs.binaries,
    account: programs.account,
    port: await freePort(),
    superuserPassword: passwords.superuser,
    logFile: path.join(programs.home, `${name}.log`),
  });
}

export const ownerUrl = (server: PostgresServer): string =>
  server.url(databaseName, ownerRole, passwords.owner);
export const serviceUrl = (server: PostgresServer): string =>
  server.url(databaseName, serviceRole, passwords.service);

/** The server that will be lost, and the archive and base backup that will remain. */
export interface Production {
  readonly server: PostgresServer;
  /** The folder of the archived write-ahead log. */
  readonly archive: string;
  /** The segments of the archive, oldest first. */
  segments(): Promise<string[]>;
  /**
   * Takes a base backup of the running server, verifies it against its manifest, and returns its
   * folder.
   */
  backUp(): Promise<string>;
  /**
   * Destroys the server. Only the archive, the backup and a copy of its pg_wal remain; returns the
   * folder of that copy.
   */
  lose(): Promise<string>;
}

/**
 * Starts a server that archives its write-ahead log with the operators' script, and creates the
 * roles and the database.
 */
export async function startProduction(programs: PostgresPrograms): Promise<Production> {
  const home = await programs.folder('production');
  const archive = await programs.folder('archive');
  const backups = await programs.folder('backups');
  const directory = path.join(home, 'data');
  const passwordFile = path.join(home, 'password');
  await programs.write(passwordFile, passwords.superuser);
  await programs.run('initdb', [
    `--pgdata=${directory}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ]);
  // PostgreSQL's account may have no access to the checkout.
  const script = path.join(programs.home, 'archive-wal.sh');
  await copyFile(path.join(root, 'ops', 'backup', 'archive-wal.sh'), script);
  const server = await serverIn(programs, 'production', directory);
  await server.configure({
    wal_level: 'replica',
    archive_mode: 'on',
    archive_command: `${script} "%p" "%f" "${archive}"`,
    archive_timeout: archiveTimeout,
  });
  await server.start();
  await createDatabase(server);
  return {
    server,
    archive,
    segments: async () => (await readdir(archive)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort(),
    async backUp() {
      const backup = path.join(backups, 'base');
      const connection = [
        '--host=127.0.0.1',
        `--port=${server.options.port}`,
        `--username=${backupRole}`,
        '--no-password',
      ];
      const options = ['--checkpoint=fast', '--wal-method=stream', '--manifest-checksums=sha256'];
      await programs.run('pg_basebackup', [...connection, `--pgdata=${backup}`, ...options], {
        PGPASSWORD: passwords.backup,
      });
      await programs.run('pg_verifybackup', [backup]);
      return backup;
    },
    async lose() {
      await server.kill();
      const survivingLog = path.join(programs.home, 'pg_wal');
      await rename(path.join(directory, 'pg_wal'), survivingLog);
      await rm(home, { recursive: true });
      return survivingLog;
    },
  };
}

async function createDatabase(server: PostgresServer): Promise<void> {
  const superuser = new Client(sessionConfig({ connectionString: server.url('postgres'), ssl: false }));
  await superuser.connect();
  try {
    await ensureRoles(superuser, passwords);
    await createOwnedDatabase(superuser, databaseName);
    await superuser.query(`CREATE ROLE ${backupRole} LOGIN REPLICATION PASSWORD '${passwords.backup}'`);
  } finally {
    await superuser.end();
  }
}
