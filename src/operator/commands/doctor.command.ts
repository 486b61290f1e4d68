import type { Command } from 'commander';

import { startEmbeddedDatabase } from '../../db/embedded-database';
import type { CommandIo } from '../cli/command-io';
import { examine } from '../cli/doctor/doctor';
import type { Finding } from '../cli/doctor/finding';
import { exitCodes } from '../cli/exit-codes';
import { configurationProblems, runCommand } from '../cli/operator';
import { readCommand } from '../cli/options';
import { type List, printList } from '../cli/output';
import type { Style } from '../cli/style';

const styles: Readonly<Record<Finding['status'], Style | undefined>> = {
  ok: undefined,
  warning: 'yellow',
  problem: 'red',
};

const listedFindings: List<Finding> = {
  name: 'findings',
  fields: [
    ['status', (finding) => finding.status, 'STATUS', 'whole', (finding) => styles[finding.status]],
    ['check', (finding) => finding.check, 'CHECK', 'whole'],
    ['detail', (finding) => finding.detail, 'RESULT AND ADVICE', 'wrap'],
  ],
  whenEmpty: '',
};

function show(io: CommandIo, findings: readonly Finding[], json: boolean | undefined): void {
  const isHealthy = findings.every(({ status }) => status !== 'problem');
  if (!isHealthy) io.exitCode = exitCodes.found;
  printList(io, listedFindings, findings, json, { healthy: isHealthy });
}

export function doctorCommand(io: CommandIo): Command {
  return readCommand(
    'doctor',
    'check settings, connections, clock, TLS, migrations, roles, peppers, event feeds and webhooks, and advise on each problem. It changes no data. Without DATABASE_URL, it starts the embedded database, and creates it if necessary. Exit code 3: found problems, 2: invalid settings',
  ).action(({ json }: { json?: boolean }) => {
    const problems = configurationProblems(io);
    if (problems.length > 0) {
      show(
        io,
        problems.map((detail) => ({ check: 'configuration', status: 'problem', detail })),
        json,
      );
      io.exitCode = exitCodes.notConfigured;
      return undefined;
    }
    return runCommand(io, async (config) => {
      const { DATABASE_URL: service } = config;
      if (service !== undefined) {
        const operator = config.DATABASE_OPERATOR_URL;
        const owner = config.DATABASE_OWNER_URL ?? (operator === undefined ? service : undefined);
        const notifications = config.DATABASE_NOTIFICATIONS_URL ?? service;
        show(io, await examine(config, { service, owner, operator, notifications }), json);
        return;
      }
      const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY });
      try {
        const embedded = postgres.connectionString('service');
        const owner = postgres.connectionString('owner');
        show(io, await examine(config, { service: embedded, owner, notifications: embedded }), json);
      } finally {
        await postgres.stop();
      }
    });
  });
}
