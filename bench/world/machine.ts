import { execFileSync } from 'node:child_process';
import os from 'node:os';

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
  /** Of the last minute, when the run began. */
  load: number;
  postgres: string;
  postgresSettings: Record<string, string>;
}

/** Describes the machine of this moment, and says what speaks against measuring on it. */
export async function describeMachine(server: Server): Promise<Machine> {
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
    load: os.loadavg()[0] ?? 0,
    postgres: settings['server_version'] ?? 'unknown',
    postgresSettings: settings,
  };
  for (const warning of warningsOfLoad(machine)) say(warning);
  return machine;
}

/** With more than this for each processor something else was running. */
const mostLoad = 0.5;

/** @returns what to say before the figures, if anything */
export function warningsOfLoad({ load, processorCount }: Machine): string[] {
  return load / processorCount > mostLoad
    ? [
        `Something else was running when this began (load ${load.toFixed(1)} on ${processorCount} processors): the figures mean little.`,
      ]
    : [];
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
