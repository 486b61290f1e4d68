import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { newConnection } from '../../../src/http/server/admission/fair-queue';
import type { HeldRequest } from '../../../src/http/server/admission/held-request';
import { createRejections } from '../../../src/http/server/admission/rejections';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
});

test('a connection that is closed because too many rejections wait is counted once', () => {
  let counted = 0;
  const rejections = createRejections({
    reject: () => undefined,
    shed: () => undefined,
    observer: { onShed: () => undefined, onConnectionClosed: () => (counted += 1) },
  });
  const sockets = Array.from({ length: 70 }, () => new Socket());
  for (const socket of sockets) {
    const connection = { ...newConnection(), held: 64, isSettled: true };
    for (let number = 0; number < 64; number += 1) {
      const request = { flow: 'flooding', connection, req: new IncomingMessage(socket) };
      rejections.pace(request as HeldRequest, { code: 'credentials_malformed', detail: '' });
    }
  }
  const closed = sockets.filter(({ destroyed }) => destroyed);
  expect(closed.length).toBeGreaterThan(0);
  expect(counted).toBe(closed.length);
});
