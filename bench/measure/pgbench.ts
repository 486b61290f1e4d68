import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { completeTransaction } from '../../src/modules/transactions/complete-transaction.statement';
import { createTransaction } from '../../src/modules/transactions/create-transaction.statement';
import { addPending, type RequestWorld } from '../operations';
import { queryAt } from '../world/server';

const debianFolder = '/usr/lib/postgresql';

/** Where pgbench is: in PATH, or where Debian puts it; the newest. */
export async function findPgbench(): Promise<string | undefined> {
  const debian = existsSync(debianFolder) ? await readdir(debianFolder) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    ...debian
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => path.join(debianFolder, version, 'bin')),
  ];
  return folders.map((folder) => path.join(folder, 'pgbench')).find((file) => existsSync(file));
}

/** The service's statement with something else for each of its parameters; pgbench itself makes parameters of its variables. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  // pgbench takes a word behind a colon for a variable, and has no comments at the end of a line inside a statement.
  const oneLine = text.replace(/--.*$/gm, '').replace(/\s+/g, ' ');
  return `${oneLine.replace(/\$(\d)/g, (_whole, place: string) => values[place] ?? 'NULL')};`;
}

/** The ids are drawn by the database, which the service does itself: a little more than it has to do. */
const scriptOf = {
  create: ({ environmentId, tag, apiKey }: RequestWorld['tenant'], firstUser: number, users: number) => [
    `\\set user random(${firstUser}, ${firstUser + users - 1})`,
    '\\set project random(1, 50)',
    '\\set serial random(0, 524287)',
    filled(createTransaction.text, {
      1: String(environmentId),
      2: `(SELECT bench.transaction_id('${tag}', clock_timestamp(), :serial))`,
      3: ':project',
      4: '2500',
      5: '(SELECT bench.user_hash(:user))',
      6: 'NULL',
      7: 'NULL',
      8: `'${apiKey}'`,
      9: 'gen_random_uuid()',
    }),
  ],
  complete: ({ environmentId, tag, apiKey }: RequestWorld['tenant']) => [
    `SELECT transaction_id AS id FROM bench.pending WHERE place = (SELECT nextval('bench.pending_turn')) \\gset`,
    filled(completeTransaction.text, {
      1: String(environmentId),
      2: `'${apiKey}'`,
      3: `'${tag}'`,
      4: ':id',
      8: 'gen_random_uuid()',
    }),
  ],
};

/**
 * The most that the database does by itself: pgbench with the same statement, prepared, and no HTTP.
 *
 * @returns statements a second
 */
export async function runPgbench(
  pgbench: string,
  serviceUrl: string,
  world: RequestWorld,
  operation: 'create' | 'complete',
  { connections, seconds, count }: { connections: number; seconds: number; count: number },
): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  try {
    const [range] = await queryAt<{ first_user: string; users: string }>(
      world.ownerUrl,
      'SELECT first_user, users FROM bench.environments WHERE environment_id = $1',
      [world.tenant.environmentId],
    );
    if (!range) throw new Error('the company is not of the generated data');
    if (operation === 'complete') await preparePending(world, count);
    await queryAt(
      world.ownerUrl,
      `GRANT USAGE ON SCHEMA bench TO contribution_service;
       GRANT SELECT ON ALL TABLES IN SCHEMA bench TO contribution_service;
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA bench TO contribution_service`,
    );
    const script = path.join(folder, `${operation}.sql`);
    const lines =
      operation === 'create'
        ? scriptOf.create(world.tenant, Number(range.first_user), Number(range.users))
        : scriptOf.complete(world.tenant);
    writeFileSync(script, `${lines.join('\n')}\n`);
    const { stdout } = await promisify(execFile)(pgbench, [
      ...['-n', '-M', 'prepared', '-f', script, '-T', String(seconds), '-c', String(connections), '-j', '2'],
      serviceUrl,
    ]);
    const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
    if (!(rate > 0)) throw new Error(`pgbench says:\n${stdout}`);
    return rate;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pending contributions to be completed once each. */
async function preparePending(world: RequestWorld, count: number): Promise<void> {
  const ids = await addPending(world, count);
  await queryAt(
    world.ownerUrl,
    `DROP TABLE IF EXISTS bench.pending;
     DROP SEQUENCE IF EXISTS bench.pending_turn;
     CREATE TABLE bench.pending (place bigint PRIMARY KEY, transaction_id text NOT NULL);
     CREATE SEQUENCE bench.pending_turn CACHE 100`,
  );
  await queryAt(
    world.ownerUrl,
    'INSERT INTO bench.pending SELECT place, id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)',
    [ids],
  );
}
