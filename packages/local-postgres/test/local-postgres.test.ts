import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import * as pg from 'pg';

import { blocksOf } from '../../../test/support/documents';
import { runSample } from '../../../test/support/package-sample';
import * as localPostgres from '../src';
import { findPackage } from '../src/binaries';

const { CannotRun, startLocalPostgres } = localPostgres;

let folder: string;
let dataDirectory: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'local-postgres-'));
  // If this process is root, the server runs under another account.
  await chmod(folder, 0o755);
  dataDirectory = path.join(folder, 'data');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the program of the README prints what the README shows', async () => {
  const readme = await readFile(path.join(__dirname, '..', 'README.md'), 'utf8');
  const [program, shown] = ['js', 'text'].map((language) => blocksOf(readme, [language])[0]!.text);
  const output = await runSample(program!, {
    'node:path': { ...path, resolve: () => dataDirectory },
    '@contribution-service/local-postgres': localPostgres,
    pg,
  });
  expect(output).toBe(shown);
});

test('roles log in to the database of the caller with generated passwords', async () => {
  const server = await startLocalPostgres({
    dataDirectory,
    settings: { fsync: 'off' },
    contents: {
      database: 'shop',
      roleNames: { clerk: 'shop_clerk' },
      ensureRoles: async (superuser, { clerk }) => {
        await superuser.query(`DROP ROLE IF EXISTS shop_clerk`);
        await superuser.query(`CREATE ROLE shop_clerk LOGIN PASSWORD '${clerk}'`);
      },
      createDatabase: async (superuser, name) => {
        await superuser.query(`CREATE DATABASE ${name}`);
      },
    },
  });
  const client = new pg.Client({ connectionString: server.connectionString('clerk') });
  try {
    await client.connect();
    const { rows } = await client.query('SELECT current_user AS role, current_database() AS database');
    expect(rows).toEqual([{ role: 'shop_clerk', database: 'shop' }]);
  } finally {
    await client.end();
    await server.stop();
  }
});

test('a cluster of another version is an error with advice', async () => {
  await writeFile(path.join(dataDirectory, 'postgres', 'PG_VERSION'), '9\n');
  const starting = startLocalPostgres({ dataDirectory });
  await expect(starting).rejects.toThrow(CannotRun);
  await expect(starting).rejects.toThrow(/belongs to PostgreSQL 9, but this is PostgreSQL \d+\. Dump it/);
});

test('an unknown platform is an error with advice', () => {
  expect(() => findPackage('amiga-68k')).toThrow(CannotRun);
  expect(() => findPackage('amiga-68k')).toThrow(/npm ci --include=optional/);
});
