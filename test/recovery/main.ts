import { Command } from 'commander';

import { createTenants } from '../faults/tenants';
import { createHttpClient } from '../faults/clients/http';
import { build, killLeftOvers, temporaryFolder } from '../support/program';
import { checkRestored } from './check-restored';
import { createClients } from './clients';
import { haveIncident } from './incident';
import { PostgresPrograms } from './postgres-programs';
import { ownerUrl, startProduction } from './production';
import { type Mark, History } from './history';
import { repeatEverything } from './repeat';
import { describeCounts, describeMissing } from './report';
import { restore, type Target } from './restore';
import { operate, pepper, startService } from './service';

/**
 * Loses a server that archives its log, and restores the base backup and the archive to a time, to a named point, to the end of
 * the archive, and further with what is left of the log; each time everything that clients were told is held against what came back.
 */
async function tryRecovery(programs: PostgresPrograms, stops: (() => unknown)[]): Promise<string[]> {
  const say = (line: string): void => {
    console.log(line);
  };
  const production = await startProduction(programs);
  stops.push(() => production.server.kill());
  const migrated = await operate(production.server, 'cli/migrate.js', 'up');
  if (migrated.exitCode !== 0) throw new Error(migrated.output);
  const tenants = await createTenants(ownerUrl(production.server), pepper);
  const history = new History();
  const { backup, time, restorePoint, observations, lostAtMs, survivingLog } = await haveIncident(
    production,
    tenants,
    history,
  );
  const failures = [...history.complaints];
  say(`acknowledged until the server was lost: ${describeCounts(history.countAcknowledged())}`);

  const segments = await production.segments();
  const lastSegment = segments.at(-1) ?? '';
  const archived = observations.findLast(({ segment }) => segment <= lastSegment);
  if (archived === undefined) throw new Error('nothing was archived after the points');
  const restores: { name: string; what: string; target?: Target; mark: Mark; logs?: string[] }[] = [
    {
      name: 'to-a-time',
      what: `to the time ${time.name}`,
      target: { recovery_target_time: time.name },
      mark: time.mark,
    },
    {
      name: 'to-a-point',
      what: `to the restore point '${restorePoint.name}'`,
      target: { recovery_target_name: restorePoint.name },
      mark: restorePoint.mark,
    },
    {
      name: 'to-the-end',
      what: `to the end of the archive (${segments.length} segments)`,
      // Everything before a segment that is archived must be there; of what came later nothing can be promised.
      mark: { before: archived.mark.before, after: Infinity },
    },
    {
      name: 'with-surviving-log',
      what: "to the end of the archive and of the lost server's pg_wal",
      mark: { before: Infinity, after: Infinity },
      logs: [survivingLog],
    },
  ];
  // From the last to the first: what is repeated after the restore to the time changes the ids that clients know.
  for (const { name, what, target, mark, logs = [] } of restores.reverse()) {
    const server = await restore(programs, name, {
      backup,
      logs: [production.archive, ...logs],
      target,
    });
    stops.push(() => server.kill());
    const { service, port } = await startService(server);
    const found = await checkRestored(server, history, mark);
    say(`restored ${what}: ${describeCounts(found.counts)}; ${found.wrong.length} wrong`);
    say(`  ${describeMissing(found.missing, lostAtMs)}`);
    failures.push(...found.wrong.map((line) => `restored ${what}: ${line}`));
    if (name === 'to-a-time') {
      const http = createHttpClient(port);
      const repeated = await repeatEverything(createClients(http, history, tenants), history, found.missing);
      http.close();
      const whole = await checkRestored(server, history, { before: Infinity, after: Infinity });
      repeated.push(...whole.wrong);
      say(
        `  after partners and banks repeated all they had sent: ${describeCounts(whole.counts)}; ${repeated.length} wrong`,
      );
      failures.push(...repeated);
    }
    await service.signal('SIGTERM');
    await server.stop();
  }
  return failures;
}

async function main(options: { programs: string }): Promise<void> {
  await build();
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [
    () => {
      folder.remove();
    },
  ];
  try {
    const programs = await PostgresPrograms.find(options.programs, folder.path);
    const startedAt = performance.now();
    stops.push(killLeftOvers);
    const failures = await tryRecovery(programs, stops);
    for (const line of failures.slice(0, 50)) console.error(line);
    console.log(`${failures.length} failures in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

void new Command('npm run try:recovery --')
  .description(
    'Loses a PostgreSQL under load and restores it from a base backup and its archive, to a point and to the end.',
  )
  .requiredOption('--programs <folder>', "PostgreSQL's programs, pg_basebackup among them")
  .action(main)
  .parseAsync();
