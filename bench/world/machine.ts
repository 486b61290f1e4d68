import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { say } from '../say';
import { type Server } from './server';

/** The conditions of a measurement. */
export interface Machine {
  at: string;
  command: string;
  commit: string;
  node: string;
  operatingSystem: string;
  processors: string;
  processorCount: number;
  memoryBytes: number;
  /** Share of CPU time that other programs used in the second before the run. */
  busy: number;
  postgres: string;
  postgresSettings: Record<string, string>;
}

/**
 * Describes the machine and its current load.
 *
 * @param busy measured before the server was started
 */
export async function describeMachine(server: Server, busy: number): Promise<Machine> {
  const rows = await server.query<{ name: string; setting: string }>(
    `SELECT name, current_setting(name) AS setting FROM pg_settings
      WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_connections', 'jit', 'huge_pages_status')`,
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  const processors = os.cpus();
  const machine = {
    at: new Date().toISOString(),
    command:
      `npm run ${process.env['npm_lifecycle_event'] ?? 'bench'} -- ${process.argv.slice(2).join(' ')}`.trim(),
    commit: commit(),
    node: process.version,
    operatingSystem: `${os.type()} ${os.release()} ${os.arch()}`,
    processors: `${processors.length} × ${processors[0]?.model ?? 'unknown'}`,
    processorCount: processors.length,
    memoryBytes: os.totalmem(),
    busy,
    postgres: settings['server_version'] ?? 'unknown',
    postgresSettings: settings,
  };
  for (const warning of warningsOfLoad(machine)) say(warning);
  return machine;
}

/** With a larger share, other programs disturb the measurement. */
const mostBusy = 0.1;

/** @returns a warning to print before the results, if necessary */
export function warningsOfLoad({ busy }: Machine): string[] {
  return busy > mostBusy
    ? [
        `Other programs used ${(busy * 100).toFixed(0)} % of the CPUs in the second before the run: the figures are unreliable.`,
      ]
    : [];
}

/** Measures CPU use for one second in which this program waits: 0 is idle, 1 is all CPUs. */
export async function busyShare(): Promise<number> {
  const before = processorTimes();
  await delay(1_000);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

/** Idle and total CPU time since boot, in milliseconds. */
function processorTimes(): { idle: number; total: number } {
  const times = os.cpus().map((processor) => processor.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const total = times.reduce(
    (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
    0,
  );
  return { idle, total };
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
