import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { chown, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createDisk } from '../suites/faults/postgres/disk';
import { isCitus } from './citus/databases';
import type { TestDatabase } from './database';
import { createPool } from './pool';
import { roleUrl } from './role-url';

/** A disk of its own for the tables of one database. */
export interface DatabaseDisk {
  /** Leaves no byte free. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Call it after the database is dropped. */
  remove(): Promise<void>;
}

/** Why no disk can be filled here; undefined if one can. */
export const whyNoDisk = isCitus ? 'the nodes of a cluster share disks' : mountProblem();

function mountProblem(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'full-disk', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs the right to mount a file system, as root has';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Moves the database to a disk of its own. Nobody may be connected to it. */
export async function moveToOwnDisk(database: TestDatabase): Promise<DatabaseDisk> {
  const name = new URL(database.url).pathname.slice(1);
  const home = mkdtempSync(path.join(tmpdir(), 'contribution-full-disk-'));
  chmodSync(home, 0o711);
  const disk = await createDisk(path.join(home, 'disk'));
  const server = createPool(roleUrl('superuser', 'postgres'), { max: 1, allowExitOnIdle: true });
  const { rows } = await server.query<{ data_directory: string }>('SHOW data_directory');
  const { uid, gid } = await stat(rows[0]!.data_directory);
  await chown(disk.directory, uid, gid);
  await server.query(`CREATE TABLESPACE ${name} LOCATION '${disk.directory}'`);
  await server.query(`ALTER DATABASE ${name} SET TABLESPACE ${name}`);
  return {
    fill: () => disk.fill(0),
    free: () => disk.free(),
    async remove() {
      await server.query(`DROP TABLESPACE ${name}`);
      await server.end();
      await disk.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
