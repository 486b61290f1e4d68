import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import {
  type Account,
  credentials,
  runsAsRoot,
  unprivilegedAccount,
} from '../../../packages/local-postgres/src/account';
import type { Binaries } from '../../../packages/local-postgres/src/binaries';
import { serverEnvironment } from '../../../packages/local-postgres/src/environment';

/** An installed PostgreSQL with its backup programs, and a folder for its servers. */
export class PostgresPrograms {
  private constructor(
    readonly home: string,
    readonly account: Account | undefined,
    readonly binaries: Binaries,
  ) {}

  /** @param programs the folder of initdb, postgres and pg_basebackup */
  static async find(programs: string, home: string): Promise<PostgresPrograms> {
    const account = runsAsRoot() ? await unprivilegedAccount() : undefined;
    const program = (name: string): string => path.join(programs, name);
    const { stdout } = await promisify(execFile)(program('postgres'), ['--version']);
    const binaries = {
      directory: programs,
      initdb: program('initdb'),
      pgCtl: program('pg_ctl'),
      postgres: program('postgres'),
      majorVersion: /\d+/.exec(stdout)?.[0] ?? '',
    };
    return new PostgresPrograms(home, account, binaries);
  }

  /** Runs one of the programs until it exits, under the account of the servers. */
  async run(
    program: string,
    programArguments: string[],
    environment: Record<string, string> = {},
  ): Promise<void> {
    const file = path.isAbsolute(program) ? program : path.join(this.binaries.directory, program);
    await promisify(execFile)(file, programArguments, {
      ...credentials(this.account),
      cwd: '/',
      env: serverEnvironment(environment),
    });
  }

  /** A new folder that only the servers' account may enter. */
  async folder(name: string): Promise<string> {
    const folder = path.join(this.home, name);
    await mkdir(folder);
    await chmod(folder, 0o700);
    await this.own(folder);
    return folder;
  }

  async write(file: string, content: string, mode = 0o600): Promise<void> {
    await writeFile(file, content, { mode });
    await this.own(file);
  }

  private async own(file: string): Promise<void> {
    if (this.account) await chown(file, this.account.uid, this.account.gid);
  }
}
