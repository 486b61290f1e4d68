import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

import type { Certificate } from '../../support/certificate';
import { freePort, root } from '../../support/program';
import { until } from '../../support/until';

/** The configuration that docs/operations/install.md recommends. */
const configuration = path.join(root, 'docs', 'haproxy.cfg');

export interface Haproxy {
  httpsPort: number;
  httpPort: number;
  /** Its log so far. */
  log(): string;
  stop(): Promise<void>;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/**
 * A real haproxy with the recommended configuration, in front of two processes on this machine.
 *
 * @param variant changes that the configuration recommends for other environments
 */
export async function startHaproxy(
  folder: string,
  servicePorts: readonly [number, number],
  { certificateFile, privateKeyFile }: Certificate,
  variant: (configuration: string) => string = (text) => text,
): Promise<Haproxy> {
  const both = path.join(folder, `haproxy-${servicePorts[0]}.pem`);
  writeFileSync(both, Buffer.concat([readFileSync(privateKeyFile), readFileSync(certificateFile)]));
  const file = path.join(folder, `haproxy-${servicePorts[0]}.cfg`);
  writeFileSync(file, variant(readFileSync(configuration, 'utf8')));
  const httpsPort = await freePort();
  const httpPort = await freePort();
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: {
      PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`,
      HTTPS_BIND: `127.0.0.1:${httpsPort}`,
      HTTP_BIND: `127.0.0.1:${httpPort}`,
      TLS_CERTIFICATE: both,
      SERVICE_1: `127.0.0.1:${servicePorts[0]}`,
      SERVICE_2: `127.0.0.1:${servicePorts[1]}`,
    },
  });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  try {
    await until('haproxy listens', async () => {
      if (child.exitCode !== null) throw new Error(`haproxy ended:\n${output}`);
      return (await isListening(httpsPort)) && (await isListening(httpPort));
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`haproxy does not run:\n${output}`, { cause: error });
  }
  return {
    httpsPort,
    httpPort,
    log: () => output,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
