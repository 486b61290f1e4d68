import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { ownerRole, serviceRole } from '../../../src/db/roles/roles';
import { freePort, root, temporaryFolder } from '../../support/program';
import { until } from '../../support/until';

export interface PgBouncer {
  port: number;
  stop(): Promise<void>;
}

/**
 * The configuration that docs/operations/scale.md recommends, for any database of one server, with
 * few server connections.
 */
function configure(postgres: URL, port: number, userList: string): string {
  const recommended = readFileSync(path.join(root, 'docs', 'pgbouncer.ini'), 'utf8');
  const changes: [RegExp, string][] = [
    [/^contribution_service = .*$/m, `* = host=${postgres.hostname} port=${postgres.port}`],
    [/^listen_port = .*$/m, `listen_port = ${port}`],
    [/^auth_file = .*$/m, `auth_file = ${userList}`],
    // Fewer than the service's own connections, so that connections are really shared.
    [/^default_pool_size = .*$/m, 'default_pool_size = 4'],
  ];
  return changes.reduce((text, [line, replacement]) => {
    if (!line.test(text)) throw new Error(`docs/pgbouncer.ini has no line like ${String(line)}`);
    return text.replace(line, replacement);
  }, recommended);
}

/**
 * A real PgBouncer in front of the server of this test run.
 *
 * @param postgresUrl of any database of that server
 * @param passwords of the roles that may connect
 */
export async function startPgBouncer(
  postgresUrl: string,
  passwords: { owner: string; service: string },
): Promise<PgBouncer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const userList = path.join(folder.path, 'userlist.txt');
  const configuration = path.join(folder.path, 'pgbouncer.ini');
  writeFileSync(userList, `"${serviceRole}" "${passwords.service}"\n"${ownerRole}" "${passwords.owner}"\n`);
  writeFileSync(configuration, configure(new URL(postgresUrl), port, userList));
  for (const file of [userList, configuration]) chmodSync(file, 0o644);
  const isRoot = process.getuid?.() === 0;
  // PgBouncer refuses to run as root.
  const child = spawn(
    process.env['PGBOUNCER'] ?? 'pgbouncer',
    [...(isRoot ? ['-u', 'nobody'] : []), configuration],
    {
      env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    },
  );
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${output}`);
    const url = new URL(postgresUrl);
    url.port = String(port);
    url.username = serviceRole;
    url.password = passwords.service;
    const client = new Client({ connectionString: url.href });
    client.on('error', () => undefined);
    return client.connect().then(
      async () => {
        await client.end();
        return true;
      },
      () => false,
    );
  };
  try {
    await until('PgBouncer accepts connections', isReady);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`PgBouncer does not run:\n${output}`, { cause: error });
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      folder.remove();
    },
  };
}
