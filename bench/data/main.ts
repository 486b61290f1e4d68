import { parseArgs } from 'node:util';

import { createReadOnlyDatabase } from '../../src/db/operator-database';
import { verificationChecks } from '../../src/operator/verification/checks';
import { createVerificationService } from '../../src/operator/verification/verification.service';
import { createVerificationStore } from '../../src/operator/verification/verification.store';
import { orInterrupted } from '../interruption';
import { runMain, say } from '../say';
import { makeDatabase } from '../world/database';
import { openServer, queryAt } from '../world/server';

const help = `npm run bench -- data [--scale 0.001] [--seed 1] [--verify]

Creates a database for the benchmarks, from scale 0.001 to scale 1. --verify checks it against
every rule of \`bin/contribution-service verify\`.`;

const countedTables = [
  'projects',
  'stories',
  'users',
  'supports',
  'story_views',
  'transactions',
  'events',
  'companies',
];

/** @throws Error if a rule is violated or could not be checked */
async function verify(ownerUrl: string): Promise<void> {
  const database = createReadOnlyDatabase(ownerUrl);
  try {
    const verification = createVerificationService(createVerificationStore(database), verificationChecks);
    const { checks, environmentCount, violationCount, noteCount, failures } = await verification.verify(
      () => undefined,
    );
    say(
      `${checks.length} checks of ${environmentCount} environments: ${violationCount} violations, ${noteCount} notes`,
    );
    if (violationCount > 0 || failures.length > 0) {
      throw new Error(
        JSON.stringify([...checks.filter((check) => check.violationCount > 0), ...failures], undefined, 1),
      );
    }
  } finally {
    await database.close();
  }
}

runMain(async () => {
  const { values } = parseArgs({
    options: {
      scale: { type: 'string', default: '0.001' },
      seed: { type: 'string', default: '1' },
      verify: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(help);
    return;
  }
  const [scale, seed] = [Number(values.scale), Number(values.seed)];
  if (!(scale >= 0.001 && scale <= 1) || !Number.isSafeInteger(seed) || seed < 0) throw new Error(help);
  const server = await openServer();
  try {
    const startedAt = performance.now();
    const name = await makeDatabase(server, scale, seed);
    const counts = countedTables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    const [found] = await queryAt<Record<string, string>>(
      server.url('owner', name),
      `SELECT ${counts.join(', ')},
              (SELECT sum(upper(r) - lower(r)) FROM story_views, unnest(viewed_story_numbers) AS r) AS views,
              pg_size_pretty(pg_database_size(current_database())) AS size`,
    );
    for (const [what, count] of Object.entries(found ?? {})) say(`${what.padEnd(14)}${count.padStart(12)}`);
    say(`${name}, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    if (values.verify) await orInterrupted(() => verify(server.url('owner', name)));
  } finally {
    await server.stop();
  }
});
