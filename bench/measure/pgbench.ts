import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { completeContribution } from '../../src/core/contributions/complete-contribution.query';
import { createContribution } from '../../src/core/contributions/create-contribution.query';
import { serialNumbers, transactionIdOf } from '../data/transaction-ids';
import { interruption } from '../interruption';
import { addPending, type RequestWorld } from '../operations';
import { queryAt } from '../world/server';

const debianFolder = '/usr/lib/postgresql';

/** The newest pgbench in PATH or in Debian's folders. */
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

/**
 * Replaces each parameter of the service's query. pgbench turns its variables into parameters.
 */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  // pgbench treats a word after a colon as a variable, and allows no line comments inside a
  // query.
  const oneLine = text.replace(/--.*$/gm, '').replace(/\s+/g, ' ');
  return `${oneLine.replace(/\$(\d)/g, (_whole, place: string) => values[place] ?? 'NULL')};`;
}

/**
 * The data that each run of the script takes. It is prepared in advance, so that the database does
 * little more work than for the service.
 */
const takeTurn = `SELECT transaction_id AS id, user_hash AS user FROM bench.turns WHERE place = (SELECT nextval('bench.turn')) \\gset`;

const scriptOf = {
  create: ({ environmentId, apiKey }: RequestWorld['tenant']) => [
    '\\set project random(1, 50)',
    takeTurn,
    filled(createContribution.text, {
      1: String(environmentId),
      2: ':id',
      3: ':project',
      4: '2500',
      5: ':user',
      6: 'NULL',
      7: 'NULL',
      8: `'${apiKey}'`,
      9: 'gen_random_uuid()',
    }),
  ],
  complete: ({ environmentId, tag, apiKey }: RequestWorld['tenant']) => [
    takeTurn,
    filled(completeContribution.text, {
      1: String(environmentId),
      2: `'${apiKey}'`,
      3: `'${tag}'`,
      4: ':id',
      8: 'gen_random_uuid()',
    }),
  ],
};

/**
 * The database's maximum: pgbench with the same prepared statement and without HTTP.
 *
 * @returns queries per second
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
    await prepareTurns(world, operation, count);
    await queryAt(
      world.ownerUrl,
      `GRANT USAGE ON SCHEMA bench TO contribution_service;
       GRANT SELECT ON ALL TABLES IN SCHEMA bench TO contribution_service;
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA bench TO contribution_service`,
    );
    const script = path.join(folder, `${operation}.sql`);
    writeFileSync(script, `${scriptOf[operation](world.tenant).join('\n')}\n`);
    const parameters = ['-n', '-M', 'prepared', '-f', script, '-T', seconds, '-c', connections, '-j', 2];
    const { stdout } = await promisify(execFile)(pgbench, [...parameters.map(String), serviceUrl], {
      signal: interruption,
    });
    const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
    if (!(rate > 0)) throw new Error(`pgbench says:\n${stdout}`);
    return rate;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Contributions to create, or pending ones to complete, one per run. */
async function prepareTurns(
  world: RequestWorld,
  operation: 'create' | 'complete',
  count: number,
): Promise<void> {
  const { ownerUrl, tenant } = world;
  await queryAt(
    ownerUrl,
    `DROP TABLE IF EXISTS bench.turns;
     DROP SEQUENCE IF EXISTS bench.turn;
     CREATE TABLE bench.turns (place bigint PRIMARY KEY, transaction_id text NOT NULL, user_hash text);
     CREATE SEQUENCE bench.turn CACHE 100`,
  );
  if (operation === 'complete') {
    await queryAt(
      ownerUrl,
      'INSERT INTO bench.turns SELECT place, id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place)',
      [await addPending(world, count)],
    );
  } else {
    await queryAt(
      ownerUrl,
      `INSERT INTO bench.turns
       SELECT place, id, u.user_hash
         FROM unnest($2::text[]) WITH ORDINALITY AS given (id, place)
         JOIN bench.environments e ON e.environment_id = $1
         JOIN users u ON u.environment_id = e.environment_id AND u.user_id = e.first_user + place % e.users`,
      [tenant.environmentId, idsOf(tenant.tag, count)],
    );
  }
  await queryAt(ownerUrl, 'ANALYZE bench.turns');
}

/** Different ids with tomorrow's time, so that nobody else generates them. */
function idsOf(tag: string, count: number): string[] {
  const tomorrow = Date.now() + 24 * 3_600_000;
  return Array.from({ length: count }, (_, place) =>
    transactionIdOf(tag, new Date(tomorrow + Math.floor(place / serialNumbers) * 1_000), place),
  );
}
