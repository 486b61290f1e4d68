import { Client } from 'pg';

import { createProgress } from '../../src/operator/cli/progress';
import { migrateUp } from '../../src/db/migrations/migrator';
import { createOwnedDatabase } from '../../src/db/roles/roles';
import { generate } from '../data/generate';
import { queryAt, type Server } from './server';

const databaseName = (scale: number, seed: number): string =>
  `bench_scale_${String(scale).replace('.', '_')}_seed_${seed}`;

let copies = 0;

/** Up to this scale, a copy takes about a second, so every run begins with the same rows. */
const largestCopied = 0.01;

/** Creates the database for a scale and seed, with a progress bar on a terminal. */
export async function makeDatabase(server: Server, scale: number, seed: number): Promise<string> {
  const name = databaseName(scale, seed);
  const unfinished = `${name}_unfinished`;
  const superuser = new Client({ connectionString: server.url('superuser', 'postgres') });
  await superuser.connect();
  const progress = createProgress(process.stderr);
  try {
    for (const old of [unfinished, name])
      await superuser.query(`DROP DATABASE IF EXISTS ${old} WITH (FORCE)`);
    await createOwnedDatabase(superuser, unfinished);
    const ownerUrl = server.url('owner', unfinished);
    await migrateUp({ connectionString: ownerUrl });
    await generate({ ownerUrl, scale, seed, connections: 2, onProgress: progress.show });
    // The database gets its final name only when it is complete.
    await superuser.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return name;
  } finally {
    progress.end();
    await superuser.end();
  }
}

/**
 * Provides a database for measurements and creates it if it is missing. A small one is copied. A
 * large one is used directly and keeps what is written.
 */
export async function openDatabase(
  server: Server,
  scale: number,
  seed: number,
): Promise<{ name: string; close: () => Promise<void> }> {
  const name = databaseName(scale, seed);
  const found = await server.query(`SELECT FROM pg_database WHERE datname = '${name}'`);
  if (found.length === 0) await makeDatabase(server, scale, seed);
  // It may be from before the last migration.
  else await migrateUp({ connectionString: server.url('owner', name) });
  if (scale > largestCopied) return { name, close: () => Promise.resolve() };
  copies += 1;
  const copy = `bench_run_${process.pid}_${copies}_${String(scale).replace('.', '_')}`;
  const superuser = new Client({ connectionString: server.url('superuser', 'postgres') });
  await superuser.connect();
  await createOwnedDatabase(superuser, copy, name).finally(() => superuser.end());
  // A copy has no usage statistics and has not been read yet.
  await queryAt(server.url('superuser', copy), 'VACUUM (ANALYZE)');
  return {
    name: copy,
    async close() {
      await server.query(`DROP DATABASE ${copy} WITH (FORCE)`);
    },
  };
}
