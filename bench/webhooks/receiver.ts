/**
 * The webhook receivers, in a process of their own: one https server, and ports that behave
 * like endpoints that are down.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import net, { type AddressInfo, type Server } from 'node:net';

import { quantiles } from '../measure/statistics';
import type { Arrivals, ReceiverAddresses, ReceiverCommand } from './receiver-process';

interface Counted {
  /** Milliseconds from the event to its arrival. */
  delays: number[];
  firstAt: number;
  lastAt: number;
}

/** At the path /slow, one of this many requests gets a slow response. */
const requestsPerSlow = 100;
const slowMs = 2_000;
let requests = 0;

const counted = new Map<string, Counted>();

function note(path: string, body: string): void {
  const now = Date.now();
  let one = counted.get(path);
  if (!one) counted.set(path, (one = { delays: [], firstAt: now, lastAt: now }));
  one.delays.push(now - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp));
  one.lastAt = now;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function start(certificateFile: string, privateKeyFile: string): Promise<ReceiverAddresses> {
  const receiver = createServer(
    { cert: readFileSync(certificateFile), key: readFileSync(privateKeyFile) },
    (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (body += part));
      request.on('end', () => {
        const path = request.url ?? '';
        if (path.startsWith('/silent')) return;
        if (path.startsWith('/failing')) response.writeHead(503).end();
        else {
          note(request.headers['webhook-replayed'] === 'true' ? `${path} again` : path, body);
          requests += 1;
          const isSlow = path === '/slow' && requests % requestsPerSlow === 0;
          const respond = () => response.writeHead(204).end();
          if (isSlow) setTimeout(respond, slowMs);
          else respond();
        }
      });
    },
  );
  // Accepts connections, and never completes the TLS handshake.
  const mute = net.createServer((socket) => socket.on('error', () => undefined).resume());
  const refusing = net.createServer();
  const addresses = {
    port: await listen(receiver),
    mutePort: await listen(mute),
    refusingPort: await listen(refusing),
  };
  refusing.close();
  return addresses;
}

const arrivals = (): Record<string, Arrivals> =>
  Object.fromEntries(
    [...counted].map(([path, { delays, firstAt, lastAt }]) => [
      path,
      { delay: quantiles(delays), seconds: (lastAt - firstAt) / 1_000 },
    ]),
  );

process.on('message', (command: ReceiverCommand) => {
  if (command.name === 'start')
    void start(command.certificateFile, command.privateKeyFile).then((found) => process.send?.(found));
  else if (command.name === 'arrivals') process.send?.(arrivals());
  else {
    counted.clear();
    process.send?.({});
  }
});
