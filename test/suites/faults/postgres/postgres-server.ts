import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { appendFile, chown, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client, type QueryResultRow } from 'pg';

import { sessionConfig } from '../../../../src/db/session-settings';
import { type Account, credentials } from '../../../../packages/local-postgres/src/account';
import type { Binaries } from '../../../../packages/local-postgres/src/binaries';
import { serverEnvironment } from '../../../../packages/local-postgres/src/environment';
import { lastLines } from '../../../../packages/local-postgres/src/files';
import { ignoreStalePidFile } from '../../../../packages/local-postgres/src/postmaster';
import { childrenOf } from './processes';

const readyWithinMs = 60_000;

export interface PostgresServerOptions {
  /** Also the name that a standby reports to its primary. */
  name: string;
  binaries: Binaries;
  account: Account | undefined;
  /** The cluster's folder, created by initdb or copied from another. */
  directory: string;
  port: number;
  superuserPassword: string;
  logFile: string;
}

/** A PostgreSQL server that can be crashed and damaged like a real machine. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  constructor(readonly options: PostgresServerOptions) {}

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  url(database: string, user = 'postgres', password = this.options.superuserPassword): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.options.port}/${database}`;
  }

  /** Settings that change during a run; a running server reloads them at once. */
  async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const { directory, account } = this.options;
    const file = path.join(directory, 'harness.conf');
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
    );
    await writeFile(file, lines.join(''), { mode: 0o600 });
    if (account) await chown(file, account.uid, account.gid);
    const main = path.join(directory, 'postgresql.conf');
    const include = `include_if_exists 'harness.conf'\n`;
    if (!(await readFile(main, 'utf8')).includes(include)) await appendFile(main, include);
    if (this.isRunning) this.child?.kill('SIGHUP');
  }

  /** Starts it and waits until it accepts connections. */
  async start(): Promise<void> {
    for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline;) {
      if (!this.isRunning) await this.launch();
      if (await this.acceptsQueries()) return;
      await delay(20);
      if (this.isRunning) continue;
      // The last processes of a killed server need a moment to end.
      if (!/shared memory block .* is still in use/.test(await this.lastLogLines())) break;
    }
    throw new Error(`PostgreSQL ${this.options.name} did not start: ${await this.lastLogLines()}`);
  }

  private async launch(): Promise<void> {
    const { binaries, account, directory, port } = this.options;
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      max_connections: '100',
      checkpoint_timeout: '30s',
      max_wal_size: '256MB',
      wal_keep_size: '512MB',
      wal_receiver_timeout: '5s',
      wal_retrieve_retry_interval: '100ms',
      log_line_prefix: '%m [%p] ',
      // Every cancelled wait would log a warning.
      log_min_messages: 'log',
    };
    const log = openSync(this.options.logFile, 'a', 0o600);
    this.child = spawn(
      binaries.postgres,
      ['-D', directory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...credentials(account),
        cwd: '/',
        env: serverEnvironment(await ignoreStalePidFile(directory)),
        detached: true,
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
  }

  private lastLogLines(): Promise<string> {
    return lastLines(this.options.logFile, 5);
  }

  async acceptsQueries(): Promise<boolean> {
    return this.query('SELECT').then(
      () => true,
      () => false,
    );
  }

  /** Runs one query as the superuser on a separate connection. */
  async query<Row extends QueryResultRow>(
    text: string,
    values: unknown[] = [],
    database = 'postgres',
  ): Promise<Row[]> {
    const client = new Client(
      sessionConfig({
        connectionString: this.url(database),
        ssl: false,
        application_name: 'faults',
        connectionTimeoutMillis: 5_000,
      }),
    );
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Kills the server with all its processes at once, as when the machine fails. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || !this.isRunning) return;
    const exited = once(child, 'exit');
    // Stopped first; otherwise it would notice the end of a child process before it is killed
    // itself.
    process.kill(child.pid, 'SIGSTOP');
    for (const processId of childrenOf(child.pid)) signal(processId, 'SIGKILL');
    child.kill('SIGKILL');
    await exited;
  }

  /**
   * Kills one of the server's processes. PostgreSQL then ends all connections and recovers by
   * itself.
   */
  killOneBackend(choose: (processIds: number[]) => number): void {
    if (this.child?.pid === undefined) return;
    const processIds = childrenOf(this.child.pid);
    if (processIds.length > 0) signal(choose(processIds), 'SIGKILL');
  }

  /** Disconnects all clients, writes everything to disk, and ends. */
  async stop(): Promise<void> {
    if (!this.child || !this.isRunning) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGINT');
    const hasExited = await Promise.race([exited, delay(15_000, undefined, { ref: false })]);
    if (hasExited === undefined) await this.kill();
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 30)');
  }
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name);
  } catch {
    // It has ended by itself.
  }
}
