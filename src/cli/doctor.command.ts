import type { Command } from 'commander';

import { startEmbeddedPostgres } from '../db/embedded/embedded-postgres';
import { examine } from './doctor/doctor';
import type { Finding } from './doctor/findings';
import { exitCodes } from './exit-codes';
import { configurationProblems, runCommand } from './operator';
import { lookCommand } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<Finding> = [
  ['STATUS', (finding) => finding.status, 'whole'],
  ['CHECK', (finding) => finding.check, 'whole'],
  ['WHAT IS SO, AND WHAT TO DO', (finding) => finding.detail, 'wrap'],
];

function show(findings: readonly Finding[], json: boolean | undefined): void {
  const isHealthy = findings.every(({ status }) => status !== 'problem');
  if (!isHealthy) process.exitCode = exitCodes.found;
  if (json) printJson({ healthy: isHealthy, findings });
  else printTable(columns, findings, '');
}

export function doctorCommand(): Command {
  return lookCommand(
    'doctor',
    'look at the configuration, both connections, the clock, TLS, migrations, both roles and the peppers: what is wrong and what to do. Changes nothing. Exit code 3: there is a problem, 2: the configuration is not complete',
  ).action(({ json }: { json?: boolean }) => {
    const problems = configurationProblems();
    if (problems.length > 0) {
      show(
        problems.map((detail) => ({ check: 'configuration', status: 'problem', detail })),
        json,
      );
      process.exitCode = exitCodes.notConfigured;
      return undefined;
    }
    return runCommand(async (config) => {
      const { DATABASE_URL: service } = config;
      if (service !== undefined) {
        const owner = config.DATABASE_OWNER_URL ?? service;
        const notifications = config.DATABASE_NOTIFICATIONS_URL ?? service;
        show(await examine(config, { service, owner, notifications }), json);
        return;
      }
      const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
      try {
        const embedded = postgres.connectionString('service');
        const owner = postgres.connectionString('owner');
        show(await examine(config, { service: embedded, owner, notifications: embedded }), json);
      } finally {
        await postgres.stop();
      }
    });
  });
}
