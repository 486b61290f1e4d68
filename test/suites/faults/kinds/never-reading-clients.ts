import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { HttpClient, KeyPair } from '../clients/http';
import type { FaultKind } from './kind';

const requestsEach = 40;

const servedInARow = 10;

/** The fault lasts until the service has processed these requests and serves others again. */
async function untilServed(http: HttpClient, pair: KeyPair): Promise<void> {
  for (let served = 0; served < servedInARow;) {
    const { response } = await http.send({ method: 'GET', path: 'get/projects?limit=1', pair });
    served = response?.status === 200 ? served + 1 : 0;
  }
}

/**
 * Many clients send large requests and read no response. The service must not keep database
 * connections waiting for them.
 */
export const clientsNeverRead: FaultKind = {
  name: 'clients that never read',
  async inject({ clientProxy, http, tenants }, random) {
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
    await untilServed(http, company);
    return { hitAt };
  },
};
