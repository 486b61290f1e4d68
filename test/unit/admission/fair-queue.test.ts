import {
  clearConnection,
  type Connection,
  FairQueue,
  newConnection,
  type Queueable,
} from '../../../src/http/server/admission/fair-queue';
import { longTest } from '../../support/full-run';

interface Item extends Queueable {
  name: string;
}

const item = (name: string, flow: string | number, own: Connection = newConnection()): Item => ({
  name,
  flow,
  connection: own,
});
function takeAll(queue: FairQueue<Item>): string[] {
  const names: string[] = [];
  for (let next = queue.take(false); next; next = queue.take(false)) names.push(next.name);
  return names;
}
const unlimited = { perFlow: Infinity, perConnection: Infinity };

test('flows take turns, even if one of them has many requests', () => {
  const queue = new FairQueue<Item>(unlimited);
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.add(item(name, 'a'));
  queue.add(item('b1', 'b'));
  queue.add(item('b2', 'b'));
  queue.add(item('c1', 'c'));
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect([queue.waiting, queue.flows.size]).toEqual([0, 0]);
});

test('connections of a flow take turns, each in its own order', () => {
  const queue = new FairQueue<Item>(unlimited);
  const pipelining = newConnection();
  for (const name of ['p1', 'p2', 'p3']) queue.add(item(name, 1, pipelining));
  queue.add(item('q1', 1));
  queue.add(item('r1', 1));
  expect(takeAll(queue)).toEqual(['p1', 'q1', 'r1', 'p2', 'p3']);
});

test('a connection has a limited number of requests in progress, and continues when one ends', () => {
  const queue = new FairQueue<Item>({ perFlow: Infinity, perConnection: 2 });
  const pipelining = newConnection();
  for (const name of ['p1', 'p2', 'p3', 'p4']) queue.add(item(name, 1, pipelining));
  const [first, second] = [queue.take(), queue.take()];
  expect([first?.name, second?.name, queue.take(), queue.canStart()]).toEqual(['p1', 'p2', undefined, false]);
  queue.add(item('q1', 1));
  expect(queue.take()?.name).toBe('q1');
  queue.end(second!);
  expect([queue.take()?.name, queue.take()]).toEqual(['p3', undefined]);
});

test('the limit of a connection applies across all queues', () => {
  const [one, other] = [1, 2].map(() => new FairQueue<Item>({ perFlow: Infinity, perConnection: 1 }));
  const shared = newConnection();
  const [a, b] = [item('a', 1, shared), item('b', 1, shared)];
  one!.add(a);
  other!.add(b);
  expect(one!.take()).toBe(a);
  expect([other!.take(), other!.canStart()]).toEqual([undefined, false]);
  one!.end(a);
  expect(other!.take()).toBe(b);
});

test('a flow has a limited number of requests in progress, and others start meanwhile', () => {
  const queue = new FairQueue<Item>({ perFlow: 2, perConnection: 4 });
  for (const name of ['a1', 'a2', 'a3']) queue.add(item(name, 'a'));
  queue.add(item('b1', 'b'));
  const started = [queue.take(), queue.take(), queue.take()];
  expect(started.map((one) => one?.name)).toEqual(['a1', 'b1', 'a2']);
  expect([queue.take(), queue.startsAtOnce(item('a4', 'a'))]).toEqual([undefined, false]);
  queue.end(started[0]!);
  expect(queue.take()?.name).toBe('a3');
});

test('the oldest request of a flow can be removed, even when its connection is at its limit', () => {
  const queue = new FairQueue<Item>({ perFlow: Infinity, perConnection: 1 });
  const pipelining = newConnection();
  for (const name of ['p1', 'p2', 'p3']) queue.add(item(name, 'p', pipelining));
  const started = queue.take()!;
  const flow = queue.flows.get('p')!;
  expect([queue.takeOldest(flow)?.name, queue.waiting]).toEqual(['p2', 1]);
  queue.end(started);
  expect([queue.take()?.name, queue.takeOldest(flow)]).toEqual(['p3', undefined]);
});

test('flows and connections without requests use no memory', () => {
  const queue = new FairQueue<Item>({ perFlow: 1, perConnection: 1 });
  const own = newConnection();
  const [a, b] = [item('a', 1, own), item('b', 1, own)];
  queue.add(a);
  queue.add(b);
  expect(queue.take()).toBe(a);
  queue.end(a);
  expect(queue.take()).toBe(b);
  queue.end(b);
  expect([queue.flows.size, own.lanes.size, own.inFlight, queue.inProgress]).toEqual([0, 0, 0, 0]);
});

test('a closed connection leaves the queues with all its requests', () => {
  const [one, other] = [1, 2].map(() => new FairQueue<Item>({ perFlow: 4, perConnection: 1 }));
  const closing = newConnection();
  for (const name of ['a1', 'a2', 'a3']) one!.add(item(name, 'a', closing));
  one!.add(item('b1', 'a'));
  other!.add(item('c1', 'c', closing));
  const started = one!.take()!;
  clearConnection(closing);
  expect([one!.waiting, other!.waiting, other!.flows.size, other!.canStart()]).toEqual([1, 0, 0, false]);
  one!.end(started);
  expect([one!.take()?.name, one!.take()]).toEqual(['b1', undefined]);
});

longTest('the longest flow is found without scanning, after adds, takes and lost connections', () => {
  const queue = new FairQueue<Item>(unlimited);
  const connections = Array.from({ length: 20 }, () => newConnection());
  const scans = jest.spyOn(queue.flows, 'values');
  let seed = 1;
  const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 5_000; step += 1) {
    const action = draw(20);
    const longest = queue.longest();
    if (action < 13) queue.add(item(String(step), draw(50), connections[draw(20)]));
    else if (action < 16) queue.take(false);
    else if (action < 19 && longest) queue.takeOldest(longest);
    else clearConnection(connections[draw(20)]!);
    const found = queue.longest()?.waiting.size;
    expect(scans).not.toHaveBeenCalled();
    const sizes = [...queue.flows].map(([, { waiting }]) => waiting.size);
    expect(found).toBe(sizes.length === 0 ? undefined : Math.max(...sizes));
  }
});
