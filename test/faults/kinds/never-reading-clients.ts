import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { FaultKind } from './kind';

const requestsEach = 40;

/** Many clients ask for much and read nothing: the service must not keep database connections waiting for them. */
export const clientsNeverRead: FaultKind = {
  name: 'clients that never read',
  async inject({ clientProxy, tenants }, random) {
    const hitAt = Date.now();
    const { company } = random.pick(tenants.environments);
    const request = [
      'GET /company/integration/get/projects HTTP/1.1',
      'Host: api.example',
      'X-Forwarded-Proto: https',
      `API-Key: ${company.apiKey}`,
      `API-Secret: ${company.apiSecret}`,
      '\r\n',
    ].join('\r\n');
    const sockets = Array.from({ length: random.integer(50, 200) }, () => {
      const socket = connect(clientProxy.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(request.repeat(requestsEach));
      return socket;
    });
    await delay(random.integer(500, 2_000));
    for (const socket of sockets) socket.destroy();
    return { hitAt };
  },
};
