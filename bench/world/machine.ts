import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { say } from '../say';
import { type Server } from './server';

/** What a result depends on and is worth nothing without. */
export interface Machine {
  at: string;
  command: string;
  commit: string;
  node: string;
  operatingSystem: string;
  processors: string;
  processorCount: number;
  memoryBytes: number;
  /** Share of the processors' time that others took in the second before the run. */
  busy: number;
  postgres: string;
  postgresSettings: Record<string, string>;
}

/**
 * Describes the machine of this moment, and says what speaks against measuring on it.
 *
 * @param busy from before the server was started
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

/** With a larger share something else was running. */
const mostBusy = 0.1;

/** @returns what to say before the figures, if anything */
export function warningsOfLoad({ busy }: Machine): string[] {
  return busy > mostBusy
    ? [
        `Other programs used ${(busy * 100).toFixed(0)} % of the CPUs in the second before the run: the figures are unreliable.`,
      ]
    : [];
}

/**
 * How busy the processors are for a second in which this program waits: 0 for not at all, 1 for all
 * of them.
 */
export async function busyShare(): Promise<number> {
  const before = processorTimes();
  await delay(1_000);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

/** Of all processors since the machine was started, in milliseconds. */
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
