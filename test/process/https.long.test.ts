import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';

import { createOperatorDatabase } from '../../src/db/operator-database';
import { createOperations } from '../../src/operator/commands/operations';
import type { KeyPair } from '../../src/core/key-pairs/credentials';
import { type Certificate, hasOpenssl, makeCertificate } from '../support/certificate';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { build, freePort, root, temporaryFolder } from '../support/program';
import { until } from '../support/until';
import { randomPepper as pepper } from '../support/pepper';
import { scopes } from '../support/scopes';

/** The built program in production with a certificate and without a proxy. */
const canMakeCertificates = hasOpenssl();
if (!canMakeCertificates)
  process.stdout.write('the program is not tested with TLS: there is no openssl here\n');

(canMakeCertificates ? describe : describe.skip)(
  'the program with TLS_CERTIFICATE_FILE in production',
  () => {
    let database: TestDatabase;
    let folder: ReturnType<typeof temporaryFolder>;
    let certificate: Certificate;
    let pair: KeyPair;
    let port: number;
    let output = '';
    let stop: () => Promise<unknown>;

    beforeAll(async () => {
      await build();
      database = await createTestDatabase();
      folder = temporaryFolder();
      certificate = makeCertificate(folder.path);

      const operatorDatabase = createOperatorDatabase(database.ownerUrl);
      const peppers = new Map([[1, Buffer.from(pepper)]]);
      const { companies, keyPairs } = createOperations(operatorDatabase, peppers);
      await companies.create('Direct');
      pair = await keyPairs.issue({ company: 'Direct', kind: 'test', scopes, expiresAt: undefined });
      await operatorDatabase.close();

      port = await freePort();
      const child = spawn(process.execPath, ['dist/src/server.js'], {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          ENV_FILE: 'off',
          NODE_ENV: 'production',
          PORT: String(port),
          METRICS_PORT: 'off',
          DATABASE_URL: database.url,
          CREDENTIAL_PEPPERS: `1:${pepper}`,
          PUBLIC_BASE_URL: 'https://api.test',
          TLS_CERTIFICATE_FILE: certificate.certificateFile,
          TLS_PRIVATE_KEY_FILE: certificate.privateKeyFile,
        },
      });
      const exited = once(child, 'exit');
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (data: Buffer) => {
          output += data.toString();
        });
      }
      stop = () => {
        child.kill('SIGKILL');
        return exited;
      };
      await until('it listens', () => output.includes('"listening"'));
    });
    afterAll(async () => {
      await stop();
      await database.drop();
      folder.remove();
    });

    async function get(
      headers: Record<string, string>,
      path = '/company/integration/get/projects',
    ): Promise<[status: number | undefined, protocol: string | null]> {
      const { ca } = certificate;
      const request = https.get({ host: 'localhost', family: 4, port, path, ca, agent: false, headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      const { socket } = response;
      const protocol = socket instanceof TLSSocket ? socket.getProtocol() : null;
      await once(response, 'close');
      return [response.statusCode, protocol];
    }

    const credentials = () => ({ 'API-Key': pair.apiKey, 'API-Secret': pair.apiSecret });

    test('serves over TLS 1.3, and starts without a warning about proxies', async () => {
      expect(await get(credentials())).toEqual([200, 'TLSv1.3']);
      expect(output).not.toContain('TRUSTED_PROXIES');
    });

    test.each<[string, Record<string, string>]>([
      ['X-Forwarded-Proto: http', { 'X-Forwarded-Proto': 'http' }],
      ['X-Forwarded-For', { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' }],
      ['Forwarded', { Forwarded: 'for=203.0.113.9;proto=http' }],
    ])('also serves a client that sends %s', async (_what, headers) => {
      expect((await get({ ...credentials(), ...headers }))[0]).toBe(200);
    });

    test('rejects a request without credentials with 401, not with https_required', async () => {
      expect((await get({}))[0]).toBe(401);
    });

    test('does not respond to plain HTTP on that port', async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
      let response = '';
      socket.on('data', (data: Buffer) => {
        response += data.toString('latin1');
      });
      await once(socket, 'close');
      expect(response).not.toContain('HTTP/1.1');
    });
  },
);
