import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { newConnection } from '../../../src/http/server/admission/fair-queue';
import type { RequestContext } from '../../../src/http/request/request-context';
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
    failRequest: () => undefined,
    observer: { onShed: () => undefined, onConnectionClosed: () => (counted += 1) },
  });
  const sockets = Array.from({ length: 70 }, () => new Socket());
  for (const socket of sockets) {
    const connection = { ...newConnection(), held: 64, heldBytes: 0, isReadAgain: true };
    for (let number = 0; number < 64; number += 1) {
      const request = { flow: 'flooding', connection, req: new IncomingMessage(socket) };
      rejections.pace(request as unknown as RequestContext, { code: 'credentials_malformed', detail: '' });
    }
  }
  const closed = sockets.filter(({ destroyed }) => destroyed);
  expect(closed.length).toBeGreaterThan(0);
  expect(counted).toBe(closed.length);
});

function paceRejections(
  count: number,
  flow: number,
  onReject: () => void,
): ReturnType<typeof createRejections> {
  const rejections = createRejections({
    reject: onReject,
    shed: () => undefined,
    failRequest: () => undefined,
    observer: { onShed: () => undefined, onConnectionClosed: () => undefined },
  });
  for (let number = 0; number < count; number += 1) pace(rejections, flow + (number % 7));
  return rejections;
}

function pace(rejections: ReturnType<typeof createRejections>, flow: number): void {
  const request = { flow, connection: newConnection(), req: new IncomingMessage(new Socket()) };
  rejections.pace(request as unknown as RequestContext, { code: 'credentials_malformed', detail: '' });
}

test('if many rejections wait, each is sent within 420 ms', () => {
  let sent = 0;
  paceRejections(4_000, 1, () => (sent += 1));
  jest.advanceTimersByTime(200);
  expect(sent).toBeLessThan(2_200);
  jest.advanceTimersByTime(220);
  expect(sent).toBe(4_000);
});

test('after a peak, the rate of rejections falls again although some always wait', () => {
  let [sent, waiting] = [0, 4_000];
  const rejections = paceRejections(waiting, 1, () => {
    sent += 1;
    waiting -= 1;
  });
  const sentIn = (milliseconds: number): number => {
    const before = sent;
    for (let passed = 0; passed < milliseconds; passed += 4) {
      jest.advanceTimersByTime(4);
      for (; waiting < 1_000; waiting += 1) pace(rejections, 9);
    }
    return sent - before;
  };
  sentIn(1_000);
  expect(sentIn(400)).toBeLessThan(1_100);
});
