import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import {
  type Account,
  credentials,
  runsAsRoot,
  unprivilegedAccount,
} from '../../../packages/local-postgres/src/account';
import { serverEnvironment } from '../../../packages/local-postgres/src/environment';
import { childrenOf } from '../../suites/faults/postgres/processes';
import { freePort } from '../program';

/** The folder of PostgreSQL's programs for which Citus is installed. */
const programs = process.env['CITUS_POSTGRES'] ?? '/usr/lib/postgresql/15/bin';

/** One PostgreSQL server of a cluster. */
export interface CitusNode {
  port: number;
  dataDirectory: string;
  logFile: string;
  /** The URL of a database of this node for the superuser. */
  url(database: string): string;
  start(): Promise<void>;
  /** `fast` ends sessions first; `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Kills all processes at once, as when the machine fails. */
  kill(): void;
  /** Stops all processes until the function that this returns is called. */
  freeze(): () => void;
}

/** A coordinator and its workers, all on this machine. Every role connects without a password. */
export interface CitusCluster {
  coordinator: CitusNode;
  workers: CitusNode[];
  /** The coordinator first. */
  nodes: CitusNode[];
  /** Stops all servers and removes their data. */
  remove(): Promise<void>;
}

/** Replaces the configuration file of initdb. The data is discarded after the run. */
const configuration = (port: number, folder: string, namesPlugins: boolean, isDurable: boolean): string => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${folder}'
shared_preload_libraries = 'citus'
max_connections = 300
max_prepared_transactions = 600
# One maintenance daemon for each database of a test.
max_worker_processes = 40
wal_level = logical
shared_buffers = 128MB
fsync = ${isDurable ? 'on' : 'off'}
timezone = 'UTC'
lc_messages = 'C'
citus.local_hostname = '127.0.0.1'
citus.node_conninfo = 'sslmode=prefer'
citus.enable_statistics_collection = off
citus.recover_2pc_interval = 5s
${namesPlugins ? "output_plugin_libraries = 'pgoutput, test_decoding, citus'" : ''}
`;

const mostStarts = 20;

const access =
  'local all all trust\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n';

async function createNode(
  folder: string,
  name: string,
  account: Account | undefined,
  isDurable: boolean,
): Promise<CitusNode> {
  const run = async (program: string, ...programArguments: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(path.join(programs, program), programArguments, {
      ...credentials(account),
      cwd: '/',
      env: serverEnvironment(),
    });
    return stdout;
  };
  const port = await freePort();
  const dataDirectory = path.join(folder, name);
  const logFile = path.join(folder, `${name}.log`);
  await run(
    'initdb',
    '-D',
    dataDirectory,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '-N',
  );
  appendFileSync(
    path.join(dataDirectory, 'postgresql.conf'),
    configuration(
      port,
      folder,
      (await run('postgres', '--describe-config')).includes('output_plugin_libraries'),
      isDurable,
    ),
  );
  writeFileSync(path.join(dataDirectory, 'pg_hba.conf'), access);
  const control = async (...command: string[]): Promise<void> => {
    await run('pg_ctl', '-D', dataDirectory, '-w', ...command);
  };
  return {
    port,
    dataDirectory,
    logFile,
    url: (database) => `postgres://postgres:unused@127.0.0.1:${port}/${database}`,
    async start() {
      // The last processes of a killed server need a moment to end.
      for (let attempt = 1; ; attempt += 1) {
        try {
          await control('-l', logFile, 'start');
          return;
        } catch (error) {
          if (attempt === mostStarts) throw error;
          await delay(250);
        }
      }
    },
    stop: (mode) => control('-m', mode, 'stop'),
    kill() {
      // The postmaster first, or it would start to recover.
      signalAll(processesOf(dataDirectory), 'SIGSTOP');
      signalAll(processesOf(dataDirectory), 'SIGKILL');
    },
    freeze() {
      const frozen = processesOf(dataDirectory);
      signalAll(frozen, 'SIGSTOP');
      return () => {
        signalAll(frozen, 'SIGCONT');
      };
    },
  };
}

/** The postmaster of a data directory, and its children. */
export function processesOf(dataDirectory: string): number[] {
  const [postmaster = ''] = readFileSync(path.join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  return [Number(postmaster), ...childrenOf(Number(postmaster))];
}

function signalAll(processIds: readonly number[], signal: NodeJS.Signals): void {
  for (const id of processIds) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}

/**
 * Starts an empty cluster. Its databases need {@link createCitusDatabase}.
 *
 * @param isDurable whether commits wait for the disk, for measurements
 */
export async function startCitusCluster(workerCount = 2, isDurable = false): Promise<CitusCluster> {
  const account = runsAsRoot() ? await unprivilegedAccount() : undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'citus-test-'));
  chmodSync(folder, 0o711);
  if (account) chownSync(folder, account.uid, account.gid);
  const names = ['coordinator', ...Array.from({ length: workerCount }, (_, index) => `worker${index + 1}`)];
  const nodes: CitusNode[] = [];
  const started: CitusNode[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(started.map((node) => node.stop('immediate').catch(() => undefined)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // One after the other, because the port of a node is free until the node has started.
    for (const name of names) {
      const node = await createNode(folder, name, account, isDurable);
      await node.start();
      started.push(node);
      nodes.push(node);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const [coordinator, ...workers] = nodes;
  if (coordinator === undefined) throw new Error('a cluster needs a coordinator');
  return { coordinator, workers, nodes, remove };
}
