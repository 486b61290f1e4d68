import { Command } from 'commander';

import { createHttpClient } from '../faults/clients/http';
import { createTenants } from '../faults/tenants';
import { build, killLeftoverProcesses, temporaryFolder } from '../../support/program';
import { checkRestored } from './check-restored';
import { createClients } from './clients';
import { completionsSince, omitted } from './completions-since';
import { type Contribution, History } from './history';
import { simulateIncident } from './incident';
import { PostgresPrograms } from './postgres-programs';
import { ownerUrl, startProduction } from './production';
import { repeatEverything } from './repeat';
import { describeCounts, describeMissing } from './report';
import { restore } from './restore';
import { restoresAfter } from './restores';
import { operate, pepper, startService } from './service';

/**
 * Loses a server that archives its log, and restores it from the base backup and the archive. The
 * targets are a time, a named point, the end of the archive, and the end of the rest of the log.
 * Compares each result with the clients' responses.
 *
 * @returns one sentence for each violation
 */
async function tryRecovery(programs: PostgresPrograms, stops: (() => unknown)[]): Promise<string[]> {
  const production = await startProduction(programs);
  stops.push(() => production.server.kill());
  const migrated = await operate(production.server, 'operator/cli/migrate.js', 'up');
  if (migrated.exitCode !== 0) throw new Error(migrated.output);
  const tenants = await createTenants(ownerUrl(production.server), pepper);
  const history = new History();
  const notes = await simulateIncident(production, tenants, history);
  console.log(`acknowledged until the server was lost: ${describeCounts(history.countAcknowledged())}`);

  const failures = [...history.complaints];
  let listed = new Set<string>();
  let notInCopy: Contribution[] = [];
  for (const { name, what, mark, ...from } of await restoresAfter(production, notes)) {
    const server = await restore(programs, name, { backup: notes.backup, ...from });
    stops.push(() => server.kill());
    const { service, port } = await startService(server);
    const { wrong, missing, counts } = await checkRestored(server, history, mark);
    if (name === 'to-the-end') {
      listed = await completionsSince(server, notes.time.name);
      notInCopy = missing.completions;
    }
    if (name === 'to-a-time') wrong.push(...omitted(missing.completions, { listed, notInCopy, mark }));
    console.log(`restored ${what}: ${describeCounts(counts)}; ${wrong.length} wrong`);
    console.log(`  ${describeMissing(missing, notes.lostAtMs)}`);
    failures.push(...wrong.map((line) => `restored ${what}: ${line}`));
    if (name === 'to-a-time') {
      const http = createHttpClient(port);
      const repeated = await repeatEverything(createClients(http, history, tenants), history, missing);
      http.close();
      const whole = await checkRestored(server, history, { before: Infinity, after: Infinity });
      repeated.push(...whole.wrong);
      console.log(
        `  after partners and banks repeated all: ${describeCounts(whole.counts)}; ${repeated.length} wrong`,
      );
      failures.push(...repeated);
    }
    await service.signal('SIGTERM');
    await server.stop();
  }
  return failures;
}

/** Ctrl-C must not leave servers behind, so the run ends as if it had failed. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        reject(new Error(signal));
      });
    }
  });
}

async function main(options: { programs: string }): Promise<void> {
  await build();
  const startedAt = performance.now();
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [
    () => {
      folder.remove();
    },
    killLeftoverProcesses,
  ];
  try {
    const programs = await PostgresPrograms.find(options.programs, folder.path);
    const failures = await Promise.race([tryRecovery(programs, stops), interruption()]);
    for (const line of failures.slice(0, 50)) console.error(line);
    console.log(`${failures.length} failures in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

void new Command('npm run test:suite recovery --')
  .description(
    'Loses a PostgreSQL under load and restores it from a base backup and its archive, to a point and to the end.',
  )
  .requiredOption('--programs <folder>', "PostgreSQL's programs, pg_basebackup among them")
  .action(main)
  .parseAsync();
