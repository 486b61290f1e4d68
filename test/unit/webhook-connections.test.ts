import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';

import { createDestinations } from '../../src/features/webhooks/sending/destinations';
import { createSender } from '../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../src/features/webhooks/sending/sender-settings';

/** How connections to receivers are shared, reused and closed. Nothing leaves this machine. */
const settings = {
  ...senderSettings,
  ...{ connectTimeoutMs: 300, totalTimeoutMs: 600, bodyTimeoutMs: 200, staleWithinMs: 150 },
};
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function newSender(changed: Partial<typeof settings> = {}) {
  const sender = createSender(createDestinations(true), { ...settings, ...changed });
  stops.push(() => {
    sender.stop();
  });
  return sender;
}

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A receiver that writes arbitrary bytes on a connection. */
async function rawReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    stops.push(() => socket.destroy());
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  stops.push(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const messageTo = (url: string) => ({ endpointId: 'e', url, headers: {}, body: '{}' });

test('a request that waits for a connection of this service does not count as a failure of the receiver', async () => {
  const sender = newSender({ totalTimeoutMs: 3_000, connectionsPerEndpoint: 1 });
  const url = await receiver((_request, response) => {
    setTimeout(() => response.writeHead(204).end(), 2 * settings.connectTimeoutMs);
  });
  const results = await Promise.all([sender.send(messageTo(url)), sender.send(messageTo(url))]);
  expect(results).toMatchObject([{ isSuccess: true }, { isSuccess: true }]);
});

test('a request to another host of the same endpoint does not cut one in progress', async () => {
  const sender = newSender();
  let isReceived: () => void;
  const received = new Promise<void>((resolve) => (isReceived = resolve));
  const slow = await receiver((_request, response) => {
    isReceived();
    setTimeout(() => response.writeHead(204).end(), 150);
  });
  const fast = await receiver((_request, response) => response.writeHead(204).end());
  const delivery = sender.send(messageTo(slow));
  await received;
  expect(await sender.send(messageTo(fast))).toMatchObject({ isSuccess: true });
  expect(await delivery).toMatchObject({ isSuccess: true });
});

test('a connection that was used before costs the total timeout once, even if it is cut late', async () => {
  const sender = newSender({ staleWithinMs: 600 });
  let count = 0;
  const url = await receiver((request, response) => {
    count += 1;
    if (count === 1) response.writeHead(204).end();
    else if (count === 2) setTimeout(() => request.socket.resetAndDestroy(), 450);
  });
  await sender.send(messageTo(url));
  const result = await sender.send(messageTo(url));
  expect(result).toMatchObject({ isSuccess: false, failure: 'timeout' });
  expect(result.durationMs).toBeLessThan(900);
});

test('a receiver that sends interim responses without end is cut off', async () => {
  const sender = newSender();
  let written = 0;
  const part = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(500));
  const url = await rawReceiver((socket) => {
    const write = (): void => {
      while (!socket.destroyed && written < 1e9) {
        written += part.length;
        if (!socket.write(part)) break;
      }
    };
    socket.on('drain', write);
    socket.once('data', write);
  });
  expect(await sender.send(messageTo(url))).toMatchObject({ failure: 'malformed_response' });
  expect(written).toBeLessThan(1e7);
});

test('a repeat on a new connection follows a connection that was closed while it was idle', async () => {
  const sender = newSender();
  let connections = 0;
  const url = await rawReceiver((socket) => {
    connections += 1;
    let requests = 0;
    const isLost = connections <= 4;
    socket.on('data', () => {
      requests += 1;
      // For example, a load balancer has forgotten the idle connection.
      if (isLost && requests > 1) socket.resetAndDestroy();
      else setTimeout(() => socket.write('HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n'), 50);
    });
  });
  await Promise.all(Array.from({ length: 4 }, () => sender.send(messageTo(url))));
  expect(connections).toBe(4);
  expect(await sender.send(messageTo(url))).toMatchObject({ isSuccess: true, status: 204 });
  expect(connections).toBe(5);
});

test('a receiver that works on a request and then closes a reused connection gets it once', async () => {
  const sender = newSender();
  let count = 0;
  const url = await receiver((request, response) => {
    count += 1;
    if (count === 1) response.writeHead(204).end();
    else setTimeout(() => request.socket.resetAndDestroy(), 2 * settings.staleWithinMs);
  });
  await sender.send(messageTo(url));
  expect(await sender.send(messageTo(url))).toMatchObject({ failure: 'connection_closed' });
  expect(count).toBe(2);
});

test.each(['HTTP/1.1 204 No', 'HTTP/1.1 103 Early Hints\r\n\r\n'])(
  'a receiver that closes a reused connection after %j gets the request once',
  async (start) => {
    const sender = newSender();
    let count = 0;
    const url = await rawReceiver((socket) => {
      socket.on('data', () => {
        count += 1;
        if (count === 1) socket.write('HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n');
        else socket.end(start);
      });
    });
    await sender.send(messageTo(url));
    expect(await sender.send(messageTo(url))).toMatchObject({ failure: 'connection_closed' });
    expect(count).toBe(2);
  },
);

test.each([false, true])(
  'a stop ends requests at once and opens no connection, with a reused connection: %s',
  async (isReused) => {
    const sender = newSender({ totalTimeoutMs: 5_000, connectionsPerEndpoint: 1 });
    let [connections, requests] = [0, 0];
    let isReceived: () => void;
    const received = new Promise<void>((resolve) => (isReceived = resolve));
    const url = await rawReceiver((socket) => {
      connections += 1;
      socket.on('data', () => {
        requests += 1;
        if (isReused && requests === 1)
          socket.write('HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n');
        else isReceived();
      });
    });
    if (isReused) await sender.send(messageTo(url));
    // The second request waits for the connection.
    const results = Promise.all([sender.send(messageTo(url)), sender.send(messageTo(url))]);
    await received;
    sender.stop();
    const [inProgress, waiting] = await results;
    const later = await sender.send(messageTo(url));
    for (const result of [inProgress, waiting, later])
      expect(result).toMatchObject({ isSuccess: false, failure: 'connection_closed' });
    expect(inProgress.durationMs).toBeLessThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([connections, requests]).toEqual([1, isReused ? 2 : 1]);
  },
);
