import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { startEmbeddedDatabase } from '../../src/db/embedded-database';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  build,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';

/** Two releases that differ in one function, as processes on one database. */
const changed = 'functions/contributions/visibility_horizon_of.sql';
let database: TestDatabase;
let data: ReturnType<typeof temporaryFolder>;
let next: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  [data, next] = [temporaryFolder(), temporaryFolder()];
  for (const part of ['dist', 'package.json']) {
    cpSync(path.join(root, part), path.join(next.path, part), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(next.path, 'node_modules'));
  appendFileSync(path.join(next.path, 'dist', 'database', changed), '-- of the next release\n');
  database = await createTestDatabase();
  settings = {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    ALLOW_PLAIN_HTTP: 'on',
    DATA_DIRECTORY: data.path,
  };
});
afterAll(async () => {
  await killLeftoverProcesses();
  await database.drop();
  data.remove();
  next.remove();
});

const migrate = (folder: string, command = 'up') =>
  runProcess(process.execPath, ['dist/src/operator/cli/migrate.js', command], settings, folder);

const isReady = async (service: RunningService): Promise<boolean> =>
  (await fetch(`${service.baseUrl}/health/ready`)).ok;

test('the next release needs npm run migrate, then both are ready, and a rollback needs nothing', async () => {
  const former = await RunningService.start(settings);
  const forgotten = await runProcess(process.execPath, ['dist/src/server.js'], settings, next.path);
  expect([forgotten.exitCode, forgotten.output]).toEqual([
    1,
    expect.stringContaining(
      `1 file of this version was never applied to the database. The first is database/${changed}. Run: npm run migrate`,
    ),
  ]);

  const applied = `database/${changed}: applied (its text changed)\nApplied 1 file.\n`;
  expect(await migrate(next.path)).toEqual({ exitCode: 0, output: applied });
  expect(await isReady(former)).toBe(true);
  const later = await RunningService.start(settings, 'server', next.path);
  expect(await Promise.all([isReady(former), isReady(later)])).toEqual([true, true]);
  const status = await migrate(root, 'status');
  expect([status.exitCode, status.output]).toEqual([
    3,
    expect.stringContaining(`differs  database/${changed} (another version has replaced its text)\n`),
  ]);

  expect(await later.signal('SIGTERM')).toBe(0);
  expect(await former.signal('SIGTERM')).toBe(0);
  const rolledBack = await RunningService.start(settings);
  expect(await migrate(root)).toEqual({
    exitCode: 0,
    output: applied.replace('its text changed', 'another version has replaced its text'),
  });
  expect((await migrate(root, 'status')).exitCode).toBe(0);
  const again = await RunningService.start(settings, 'server', next.path);
  expect(await Promise.all([isReady(rolledBack), isReady(again)])).toEqual([true, true]);
});

describe('npm start with an embedded database', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const start = async () => {
    const { exitCode, output } = await runProcess(
      process.execPath,
      ['dist/src/server.js'],
      { DATA_DIRECTORY: folder.path },
      next.path,
    );
    const last = JSON.parse(output.trim().split('\n').at(-1) ?? '') as { msg: string };
    return { exitCode, failure: last.msg };
  };

  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => {
    folder.remove();
  });

  test('names the file and the line of a syntax error, and changes nothing', async () => {
    appendFileSync(path.join(next.path, 'dist', 'database', changed), 'SELEC 1;\n');
    expect(await start()).toEqual({
      exitCode: 1,
      failure: expect.stringMatching(
        new RegExp(`^database/${changed}, line \\d+: syntax error at or near "SELEC"$`),
      ) as string,
    });
  });

  test('rejects a data folder from before the first release in one sentence', async () => {
    const postgres = await startEmbeddedDatabase({ dataDirectory: folder.path });
    const client = new Client(sessionConfig({ connectionString: postgres.connectionString('owner') }));
    await client.connect();
    await client.query(
      `CREATE TABLE IF NOT EXISTS knex_migrations (id serial, name text, batch integer, migration_time timestamptz);
       INSERT INTO knex_migrations (name) VALUES ('20261121000100_catalogue')`,
    );
    await client.end();
    await postgres.stop();
    expect(await start()).toEqual({
      exitCode: 1,
      failure: expect.stringContaining('does not know') as string,
    });
  });
});
