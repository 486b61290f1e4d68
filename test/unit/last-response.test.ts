import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList, connect } from 'node:net';

import { Connections } from '../../src/http/server/connection';

test('a client that goes on sending requests after the last response loses its connection', async () => {
  const connections = new Connections(new BlockList());
  let [served, ignored] = [0, 0];
  const server = createServer((req, res) => {
    if (req.socket.destroyed) return;
    const connection = connections.of(req.socket);
    if (!connection.accept(res)) {
      ignored += 1;
      return;
    }
    served += 1;
    connection.endWith(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: service\r\n\r\n'.repeat(1_000));
  await once(socket, 'close');
  server.close();
  expect([served, ignored]).toEqual([1, 65]);
});
