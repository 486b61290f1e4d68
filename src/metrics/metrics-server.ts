import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Registry } from 'prom-client';

export interface MetricsServer {
  port: number;
  stop: () => Promise<void>;
}

/** Enough for a scraper, which sends a few hundred bytes. */
const timeoutMs = 5_000;

/**
 * Serves GET /metrics in the Prometheus text format, on a separate listener for operators.
 *
 * @param address port 0 means any free port
 * @throws the system error when it cannot listen on the address
 */
export async function startMetricsServer(
  registry: Registry,
  address: { host: string; port: number },
): Promise<MetricsServer> {
  const server = http.createServer(
    { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: 1_000 },
    (req, res) => void respond(registry, req, res),
  );
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  registry: Registry,
  req: http.IncomingMessage,
  res: http.ServerResponse,
): Promise<void> {
  const [path] = (req.url ?? '').split('?');
  if (path !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
    res.writeHead(path === '/metrics' ? 405 : 404, { 'Content-Type': 'text/plain; charset=utf-8' });
    res.end('GET /metrics\n');
    return;
  }
  try {
    const text = await registry.metrics();
    res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
    res.end(text);
  } catch (error) {
    // Prometheus shows only the status. The body is for people.
    res.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
    res.end(`${String(error)}\n`);
  }
}
