import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { inTurns } from '../src/http/in-turns';

let begun: number[] = [];
const listener = inTurns((req) => begun.push(req as unknown as number), 3);
const send = (...requests: number[]): void => {
  for (const request of requests)
    listener(request as unknown as IncomingMessage, undefined as unknown as ServerResponse & { req: never });
};

beforeEach(async () => {
  await nextTurn();
  await nextTurn();
  begun = [];
});

test('what comes in one turn is begun at once, up to the most', () => {
  send(1, 2, 3, 4);
  expect(begun).toEqual([1, 2, 3]);
});

test('the others are begun in the turns after it, in their order, and before what comes later', async () => {
  send(1, 2, 3, 4, 5, 6, 7, 8);
  await nextTurn();
  send(9);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
  await nextTurn();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('when nobody waits, the next one is begun at once again', async () => {
  send(1, 2, 3, 4);
  await nextTurn();
  await nextTurn();
  await nextTurn();
  send(5);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
});
