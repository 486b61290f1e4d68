import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { CitusNode } from '../../test/support/citus/cluster';
import { onDatabase } from '../../test/support/citus/databases';
import { type Operation, operations, type Requests } from './operations';

/** Time for a new setting to reach every session, and for overdue background work to end. */
const settleMs = 1_000;
/** Enough for one request without concurrent background work. */
const attempts = 15;
/** The command after "issuing" may have several lines; its first line is enough. */
const issued = /(?:NOTICE|LOG): +issuing (.*)/;

async function logCommands(coordinator: CitusNode, isOn: boolean): Promise<void> {
  await onDatabase(coordinator.url('postgres'), async (client) => {
    await client.query(`ALTER SYSTEM SET citus.log_remote_commands = ${isOn ? 'on' : 'off'}`);
    await client.query(`ALTER SYSTEM SET log_min_messages = ${isOn ? 'notice' : 'warning'}`);
    await client.query('SELECT pg_reload_conf()');
  });
  await delay(settleMs);
}

/**
 * The commands that the coordinator sends to workers for one request of each operation, from its
 * log: the fewest of several requests, because background work can only add commands.
 */
export async function readRemoteCommands(
  coordinator: CitusNode,
  requests: Requests,
): Promise<Record<Operation, string[]>> {
  await logCommands(coordinator, true);
  const commands = {} as Record<Operation, string[]>;
  await requests.turn(async () => {
    await delay(settleMs);
    for (const operation of operations) {
      await requests.prepare(operation, attempts);
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const from = statSync(coordinator.logFile).size;
        await requests.play(operation);
        const lines = readFileSync(coordinator.logFile).subarray(from).toString('utf8').split('\n');
        const found = lines.flatMap((line) => issued.exec(line)?.[1] ?? []);
        if (attempt === 0 || found.length < commands[operation].length) commands[operation] = found;
      }
    }
  });
  await logCommands(coordinator, false);
  return commands;
}
