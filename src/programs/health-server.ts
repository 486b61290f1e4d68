import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { once } from 'node:events';

import type { Config } from '../read-settings';
import type { HealthService } from '../core/health/health.service';
import { StartupError } from '../startup/startup-error';
import { version } from '../version';

const timeoutMs = 5_000;

async function answer(health: HealthService, request: http.IncomingMessage, response: http.ServerResponse) {
  const [path] = (request.url ?? '').split('?');
  const send = (status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(body));
  };
  if (path === '/health/live') {
    send(200, { status: 'live', version });
    return;
  }
  if (path !== '/health/ready') {
    send(404, { status: 'not found' });
    return;
  }
  const { code } = await health.readiness();
  send(code === undefined ? 200 : 503, { status: code ?? 'ready' });
}

/**
 * Serves /health/live and /health/ready on the address of the service, for a process without the
 * API. Existing health checks of the service therefore work for this process too.
 *
 * @throws StartupError when it cannot listen on the address
 */
export async function startHealthServer(
  health: HealthService,
  { HOST: host, PORT: port, TLS_CERTIFICATE_FILE: cert, TLS_PRIVATE_KEY_FILE: key }: Config,
): Promise<{ stop: () => Promise<void> }> {
  const limits = { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: 1_000 };
  const listener: http.RequestListener = (request, response) => {
    answer(health, request, response).catch(() => response.destroy());
  };
  const server =
    cert !== undefined && key !== undefined
      ? https.createServer({ ...limits, cert: readFileSync(cert), key: readFileSync(key) }, listener)
      : http.createServer(limits, listener);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StartupError(`Cannot listen on ${host}:${port} (${code}). Set another PORT or HOST.`);
  }
  return {
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
