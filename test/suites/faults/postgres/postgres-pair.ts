import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Client } from 'pg';

import { sessionConfig } from '../../../../src/db/session-settings';
import type { Account } from '../../../../packages/local-postgres/src/account';
import type { Binaries } from '../../../../packages/local-postgres/src/binaries';
import { ensureCluster } from '../../../../packages/local-postgres/src/cluster';
import { freePort } from '../../../support/program';
import { createDisk, type Disk } from './disk';
import { PostgresServer } from './postgres-server';

/** The standby's application_name, for which the primary waits before it confirms a commit. */
const standbyName = 'standby';

interface Place {
  disk: Disk;
  port: number;
  logFile: string;
}

/**
 * A primary and its synchronous standby, each on a separate disk. After a failover, a fresh copy of
 * the new primary replaces the old one.
 */
export class PostgresPair {
  private constructor(
    private readonly tools: { binaries: Binaries; account: Account | undefined; superuserPassword: string },
    private places: { primary: Place; standby: Place },
    public primary: PostgresServer,
    public standby: PostgresServer,
  ) {}

  static async create(
    directory: string,
    tools: { binaries: Binaries; account: Account | undefined; superuserPassword: string },
  ): Promise<PostgresPair> {
    const [first, second] = await Promise.all(
      ['a', 'b'].map(async (name) => ({
        disk: await createDisk(path.join(directory, name)),
        port: await freePort(),
        logFile: path.join(directory, `postgres-${name}.log`),
      })),
    );
    if (!first || !second) throw new Error('two places are needed');
    const { directory: home } = first.disk;
    await giveTo(tools.account, home);
    await ensureCluster(
      { home, cluster: path.join(home, 'postgres'), account: tools.account },
      tools.binaries,
      {
        password: tools.superuserPassword,
        durable: true,
        onProgress: () => undefined,
      },
    );
    const pair = new PostgresPair(
      tools,
      { primary: first, standby: second },
      serverAt(first, 'primary', tools),
      serverAt(second, standbyName, tools),
    );
    await pair.primary.configure({ synchronous_standby_names: '' });
    await pair.primary.start();
    return pair;
  }

  get disk(): Disk {
    return this.places.primary.disk;
  }

  /**
   * Copies the running primary, starts the copy as its standby, and makes every later commit wait
   * for it.
   */
  async attachStandby(): Promise<void> {
    const place = this.places.standby;
    this.standby = serverAt(place, standbyName, this.tools);
    await this.copyPrimaryTo(this.standby.options.directory);
    await this.standby.configure({
      primary_conninfo: `host=127.0.0.1 port=${this.places.primary.port} user=postgres password=${this.tools.superuserPassword} application_name=${standbyName} sslmode=disable gssencmode=disable`,
    });
    await this.standby.start();
    await this.primary.configure({ synchronous_standby_names: standbyName });
    await this.untilReplicating();
  }

  /** Waits until the standby confirms commits. */
  async untilReplicating(withinMs = 30_000): Promise<void> {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline;) {
      const rows = await this.primary
        .query<{ sync_state: string }>(`SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`)
        .catch(() => []);
      if (rows.some((row) => row.sync_state === 'sync')) return;
      await delay(20);
    }
    throw new Error('the standby does not replicate');
  }

  /** Promotes the standby. The old primary must be dead; its place is free for a new standby. */
  async promoteStandby(): Promise<void> {
    // Commits do not wait until the new primary has a standby.
    await this.standby.configure({ synchronous_standby_names: '' });
    await this.standby.promote();
    this.places = { primary: this.places.standby, standby: this.places.primary };
    this.primary = this.standby;
  }

  async remove(): Promise<void> {
    await Promise.all([this.primary.kill(), this.standby.kill()]);
    for (const { disk } of [this.places.primary, this.places.standby]) await disk.remove();
  }

  /**
   * PostgreSQL's manual way to copy a running server: start a backup, copy the files, stop the
   * backup, write the label.
   */
  private async copyPrimaryTo(directory: string): Promise<void> {
    await rm(directory, { recursive: true, force: true });
    await giveTo(this.tools.account, path.dirname(directory));
    const client = new Client(sessionConfig({ connectionString: this.primary.url('postgres'), ssl: false }));
    await client.connect();
    try {
      await client.query(`SELECT pg_backup_start('standby', true)`);
      // Files change while the server runs, so cp reports errors. If a required file is missing,
      // the standby does not start.
      await promisify(execFile)('cp', ['-a', this.primary.options.directory, directory]).catch(
        () => undefined,
      );
      const { rows } = await client.query<{ labelfile: string }>(
        `SELECT labelfile FROM pg_backup_stop(false)`,
      );
      await this.writeFile(path.join(directory, 'backup_label'), rows[0]?.labelfile ?? '');
      await this.writeFile(path.join(directory, 'standby.signal'), '');
      for (const name of ['postmaster.pid', 'postmaster.opts'])
        await rm(path.join(directory, name), { force: true });
    } finally {
      await client.end();
    }
  }

  private async writeFile(file: string, content: string): Promise<void> {
    await writeFile(file, content, { mode: 0o600 });
    const { account } = this.tools;
    if (account) await chown(file, account.uid, account.gid);
  }
}

function serverAt(
  { disk, port, logFile }: Place,
  name: string,
  tools: { binaries: Binaries; account: Account | undefined; superuserPassword: string },
): PostgresServer {
  return new PostgresServer({
    ...tools,
    name,
    port,
    logFile,
    directory: path.join(disk.directory, 'postgres'),
  });
}

async function giveTo(account: Account | undefined, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o711);
  if (account) await chown(directory, account.uid, account.gid);
}
