import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { readCatalogs } from './compare-schema/catalog';
import { findDump, readDatabase, readDump, readRows } from './compare-schema/contents';
import { compareFacts, type Facts } from './compare-schema/facts';
import {
  createDatabase,
  createRoles,
  dropDatabase,
  givenServer,
  ownServers,
  readVersion,
  type Server,
  settingsFor,
  urlOf,
} from './compare-schema/servers';
import { onDatabase } from '../test/support/citus/databases';

const lastWithMigrations = '57cd7221';

/**
 * Proves that two revisions create the same database. Until the first release, the files of
 * `database/` may be rewritten, and this shows whether the schema stays the same.
 *
 * It builds both revisions and migrates a new database with each of them: on the embedded
 * PostgreSQL, on Debian's PostgreSQL 15 and on Citus. Then it compares the databases.
 */
const help = `node -r ts-node/register scripts/compare-schema.ts [OPTIONS]

  --from REVISION  default: ${lastWithMigrations}, the last revision with all migrations
  --to REVISION    default: HEAD. Changes that are not committed do not count
  --server URL     a server for the comparison, as superuser; repeatable. Use a disposable server,
                   because the roles get new passwords. Default: starts servers of its own

PG_DUMP names a pg_dump that is as new as the servers. CITUS_INSTALL names a program that installs
Citus. For Citus, this upgrades an old Debian PostgreSQL 15, and servers that run it then fail until
they are restarted. Set CITUS_POSTGRES to the folder of other programs to avoid this.

Exit codes:
  0  the databases are the same, or all differences are expected
  1  they differ, no server could be used, or an error`;

const root = path.join(__dirname, '..');

/** Intended differences. A line that matches is printed with its reason and does not count. */
const expected: { line: RegExp; reason: string }[] = [
  {
    line: /^(worker \d: )?pg_(constraint|depend) table constraint operator_actions_(operator_not_null.*: only in FROM|claimed_operator_not_null.*: only in TO)$/,
    reason: 'PostgreSQL 18 named it after the column before the column was renamed',
  },
  {
    line: /^pg_dump TABLE operator_actions: lines is "    claimed_operator text CONSTRAINT operator_actions_operator_not_null NOT NULL" in FROM, "    claimed_operator text NOT NULL" in TO$/,
    reason: 'the dump of the same constraint',
  },
  {
    line: /^(worker \d: )?(pg_\w+|distribut\w+) [^:]*\bschema_functions\w*\b[^:]*: only in TO$/,
    reason: 'new: the table of the applied functions',
  },
];

/** What to remove at the end, the last first. */
const removals: (() => unknown)[] = [];

/** @param kept how many stay, from the first */
async function removeAll(kept = 0): Promise<void> {
  while (removals.length > kept) {
    try {
      await removals.pop()?.();
    } catch (error) {
      console.error(error);
    }
  }
}

async function run(program: string, programArguments: string[], cwd: string, env = {}): Promise<void> {
  const options = { cwd, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } };
  await promisify(execFile)(program, programArguments, options).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${programArguments.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  });
}

async function checkOut(revision: string, folder: string): Promise<void> {
  removals.push(() => run('git', ['worktree', 'remove', '--force', folder], root));
  await run('git', ['worktree', 'add', '--detach', folder, revision], root);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
}

const build = (folder: string): Promise<void> =>
  run(process.execPath, ['scripts/build.mjs', 'service'], folder);

/** Migrates a new database with a built revision, and reads everything that is in it. */
async function readRevision(server: Server, folder: string, dump: string | undefined): Promise<Facts> {
  const database = `compare_schema_${process.pid}_${path.basename(folder)}`;
  removals.push(() => dropDatabase(server, database));
  await createDatabase(server, database);
  const migrate = ['dist/src/operator/cli/migrate.js', 'up'];
  await run(process.execPath, migrate, folder, settingsFor(server, database));
  const facts: Facts = new Map();
  for (const [index, url] of server.urls.entries()) {
    await onDatabase(urlOf(url, database), async (client) => {
      // Without this, Citus hides shards. PostgreSQL ignores it.
      await client.query(`SET citus.show_shards_for_app_name_prefixes = '*'`);
      await readCatalogs(client, facts, index === 0 ? '' : `worker ${index}: `);
      if (index > 0) return;
      await readRows(client, facts);
      await readDatabase(client, facts, server.urls.length > 1);
    });
  }
  if (dump !== undefined) await readDump(dump, urlOf(server.urls[0] ?? '', database), facts);
  return facts;
}

/** Prints the differences. Returns how many are not expected. */
function report(lines: string[]): number {
  let count = 0;
  for (const line of lines) {
    const reason = expected.find((entry) => entry.line.test(line))?.reason;
    if (reason === undefined) count += 1;
    console.log(reason === undefined ? `  DIFFERENT ${line}` : `  expected ${line} (${reason})`);
  }
  return count;
}

/** Returns whether all differences on the server are expected. */
async function compareOn(name: string, server: Server, folders: [string, string]): Promise<boolean> {
  await createRoles(server);
  const version = await readVersion(server);
  console.log(`${name}, PostgreSQL ${version}:`);
  const dump = await findDump(Number.parseInt(version, 10));
  if (dump === undefined) console.log('  pg_dump skipped: PG_DUMP and PATH have none that is new enough');
  const from = await readRevision(server, folders[0], dump);
  const to = await readRevision(server, folders[1], dump);
  const lines = compareFacts(from, to);
  const count = report(lines);
  console.log(
    `  ${from.size} and ${to.size} objects, ${lines.length - count} expected differences, ${count} others`,
  );
  return count === 0;
}

/** Returns undefined if the server cannot be started. */
async function tryOn(
  name: string,
  start: () => Promise<Server>,
  folders: [string, string],
): Promise<boolean | undefined> {
  const server = await start().catch((error: unknown) => {
    console.log(`${name} skipped: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (server === undefined) return undefined;
  const kept = removals.length;
  removals.push(() => server.stop());
  try {
    return await compareOn(name, server, folders);
  } finally {
    await removeAll(kept);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string', default: lastWithMigrations },
      to: { type: 'string', default: 'HEAD' },
      server: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'compare-schema-'));
  removals.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const folders: [string, string] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await checkOut(values.from, folders[0]);
  await checkOut(values.to, folders[1]);
  await Promise.all(folders.map(build));
  const given = values.server?.map((url) => [new URL(url).host, () => givenServer(url)] as const);
  const outcomes: (boolean | undefined)[] = [];
  for (const [name, start] of given ?? Object.entries(ownServers))
    outcomes.push(await tryOn(name, start, folders));
  process.exitCode = outcomes.includes(true) && !outcomes.includes(false) ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void removeAll().finally(() => process.exit(1));
  });
}

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => removeAll());
