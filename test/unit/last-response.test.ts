import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { endConnectionWith, ignoreBehindLast, isBehindLast } from '../../src/http/server/last-response';

test('a client that goes on sending requests after the last response loses its connection', async () => {
  let [served, ignored] = [0, 0];
  const server = createServer((req, res) => {
    if (req.socket.destroyed) return;
    if (isBehindLast(req, res)) {
      ignored += 1;
      ignoreBehindLast(req);
      return;
    }
    served += 1;
    endConnectionWith(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: service\r\n\r\n'.repeat(1_000));
  await once(socket, 'close');
  server.close();
  expect([served, ignored]).toEqual([1, 65]);
});
