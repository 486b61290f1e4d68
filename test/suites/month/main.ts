import { Command } from 'commander';

import { startEmbeddedDatabase } from '../../../src/db/embedded-database';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { createTenants } from '../faults/tenants';
import { verifyDatabase } from '../faults/verify';
import { parseWholeNumber } from '../../support/command-line';
import { randomPepper as pepper } from '../../support/pepper';
import {
  build,
  freePort,
  killLeftoverProcesses,
  RunningService,
  temporaryFolder,
} from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import { createMonthClient } from './client';
import { bankingDays, createRandom, planMonth } from './plan';
import { playMonth } from './play';

/**
 * A month of a bank and a company, played against the service as shipped. Every position and
 * outcome must be the planned one.
 */
const daysOfMonth = 20;

async function main({ contributions, seed }: { contributions: number; seed: number }): Promise<void> {
  await build();
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [
    () => {
      folder.remove();
    },
  ];
  const startedAt = performance.now();
  const say = (text: string): void => {
    console.error(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${text}`);
  };
  try {
    const postgres = await startEmbeddedDatabase({ dataDirectory: folder.path });
    stops.push(() => postgres.stop());
    const ownerUrl = postgres.connectionString('owner');
    await migrateUp({ connectionString: ownerUrl });
    const { environments, activeProjects } = await createTenants(ownerUrl, pepper);
    const tenant = environments.find(({ hasBank }) => hasBank);
    if (!tenant) throw new Error('no company has a bank');
    stops.push(killLeftoverProcesses);
    const service = await RunningService.start({
      NODE_ENV: 'production',
      DATABASE_URL: postgres.connectionString('service'),
      CREDENTIAL_PEPPERS: `1:${pepper}`,
      PUBLIC_BASE_URL: 'https://api.example.org',
      TRUSTED_PROXIES: '127.0.0.1/32',
      PORT: String(await freePort()),
      METRICS_PORT: 'off',
      ...withoutRateLimits,
    });
    const random = createRandom(seed);
    const days = bankingDays(new Date().toISOString().slice(0, 10), daysOfMonth);
    const { report, wrong } = await playMonth({
      planned: planMonth(contributions, days, random),
      days,
      random,
      projects: activeProjects,
      company: createMonthClient(service.baseUrl, tenant.company),
      bank: createMonthClient(service.baseUrl, tenant.completer),
      say,
    });
    const found = await verifyDatabase(postgres.connectionString('superuser'));
    say(`verify: ${found.length === 0 ? 'nothing is wrong' : found.slice(0, 5).join('; ')}`);
    console.log(`${contributions} contributions, seed ${seed}\n\n${report}\n`);
    console.log(wrong.length === 0 ? 'All are as planned.' : `Wrong:\n${wrong.join('\n')}`);
    if (wrong.length > 0 || found.length > 0) process.exitCode = 1;
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

void new Command('npm run test:suite month --')
  .description(
    'Plays a month of contributions, completions, returns and bank statements, and compares every position that the service finds with the planned one.',
  )
  .option('--contributions <number>', 'how many contributions the month has', parseWholeNumber, 20_000)
  .option('--seed <number>', 'chooses the month', parseWholeNumber, 1)
  .action(main)
  .parseAsync();
