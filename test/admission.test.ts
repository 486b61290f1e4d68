import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createAdmission } from '../src/http/admission';

/** What is left in the queue for the database, for reads; those that move money find ten places more. */
let room = 100;
let begun: string[] = [];
let refused: string[] = [];
let withoutRoom = 0;

const pathOf = (req: IncomingMessage): string => req.url ?? '';
const admit = createAdmission({
  begin: (req) => begun.push(pathOf(req)),
  refuse: (req) => refused.push(pathOf(req)),
  movesMoney: ({ method }) => method !== 'GET',
  room: (movesMoney) => room + (movesMoney ? 10 : 0),
  onNoRoom: () => (withoutRoom += 1),
  limits: {
    begunInTurn: 4,
    waiting: 6,
    refusedEveryMs: 2,
    refusedTogether: 3,
  },
});
function send(method: string, ...paths: string[]): void {
  for (const url of paths) {
    const [req, res]: unknown[] = [{ method, url }, undefined];
    admit(req as IncomingMessage, res as ServerResponse & { req: IncomingMessage });
  }
}
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

beforeAll(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
beforeEach(async () => {
  room = 100;
  await turns(5);
  jest.runAllTimers();
  [begun, refused, withoutRoom] = [[], [], 0];
});

test('what comes in one turn is begun at once, up to the most; the others in the turns after it, in their order', async () => {
  send('GET', '1', '2', '3', '4', '5', '6', '7', '8', '9');
  expect(begun).toEqual(['1', '2', '3', '4']);
  await nextTurn();
  send('GET', '10');
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  await nextTurn();
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  expect(refused).toEqual([]);
});

test('when nobody waits, the next one is begun at once again', async () => {
  send('GET', '1', '2', '3', '4', '5');
  await turns(3);
  send('GET', '6');
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('who would wait behind too many is refused, and reads take no place from what moves money', () => {
  send('GET', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12');
  send('PUT', 'a', 'b', 'c', 'd', 'e', 'f', 'g');
  jest.advanceTimersByTime(2);
  expect(refused).toEqual(['11', '12', 'g']);
  expect(withoutRoom).toBe(0);
});

test('refusals are sent together, soon, and when there are many, the last ones the next time', () => {
  room = 0;
  send('GET', '1', '2');
  jest.advanceTimersByTime(1);
  expect(refused).toEqual([]);
  send('GET', '3', '4');
  jest.advanceTimersByTime(1);
  expect(refused).toEqual(['1', '2', '3']);
  send('GET', '5');
  jest.advanceTimersByTime(2);
  expect(refused).toEqual(['1', '2', '3', '4', '5']);
  send('GET', '6');
  jest.advanceTimersByTime(2);
  expect(refused).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(withoutRoom).toBe(6);
});

test('what moves money is begun before reads that came earlier, which still get a quarter of each turn', async () => {
  send('GET', 'a', 'b', 'c', 'd', 'e', 'f');
  send('PUT', '1', '2', '3', '4');
  await nextTurn();
  expect(begun.slice(4)).toEqual(['1', '2', '3', 'e']);
  await nextTurn();
  expect(begun.slice(8)).toEqual(['4', 'f']);
});

test('no more is begun in a turn than the database can take, and what it cannot take afterwards is refused', async () => {
  room = 2;
  send('GET', '1', '2', '3');
  expect([begun, refused]).toEqual([['1', '2'], []]);
  room = 0;
  await nextTurn();
  send('GET', '4');
  jest.advanceTimersByTime(2);
  expect([begun, refused]).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);
  expect(withoutRoom).toBe(2);
});

test('when reads find no room, what moves money does', () => {
  room = -1;
  send('GET', '1');
  send('POST', '2');
  send('PUT', '3');
  jest.advanceTimersByTime(2);
  expect([begun, refused]).toEqual([['2', '3'], ['1']]);
});

test('health is asked for without waiting, whatever the room', () => {
  send('GET', '1', '2', '3', '4', '5');
  room = -100;
  send('GET', '/health/live', '/health/ready');
  expect(begun).toEqual(['1', '2', '3', '4', '/health/live', '/health/ready']);
});

test('room for a part of a request is room for one: a queue of one place has three quarters of one for reads', async () => {
  room = 0.75;
  send('GET', '1', '2');
  await nextTurn();
  expect(begun).toEqual(['1', '2']);
});
