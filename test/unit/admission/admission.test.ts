import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Admissible, Admission } from '../../../src/http/server/admission/admission';
import { limitsOfClasses } from '../../../src/http/server/admission/class-limits';
import { clearConnection, newConnection } from '../../../src/http/server/admission/fair-queue';
import type { TrafficClass } from '../../../src/shared/traffic-classes';

interface Request extends Admissible {
  name: string;
  isClosed: boolean;
}

let now = 0;
let started: Request[] = [];
let shed: Request[] = [];
let reclassify: (request: Request) => boolean = () => false;
let admission: Admission<Request>;

/** 24 slots, 4 of them reserved for completions and 4 more for creates. */
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  [now, started, shed, reclassify] = [0, [], [], () => false];
  const own: Admission<Request> = new Admission<Request>({
    ...limitsOfClasses(10, 100),
    // Empties the queue, so that requests of an earlier test do not start here.
    start: (request) => own === admission && started.push(request),
    fail: () => undefined,
    shed: (request) => shed.push(request),
    reclassify: (request) => reclassify(request),
    nowMs: () => now,
  });
  admission = own;
});

function send(trafficClass: TrafficClass, flow: string | number, count: number): Request[] {
  return Array.from({ length: count }, (_, place) => {
    const connection = newConnection();
    const name = `${trafficClass} ${flow} ${place}`;
    const request = { name, trafficClass, flow, connection, since: 0, isClosed: false };
    admission.submit(request);
    return request;
  });
}
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};
/** Advances the clock and runs the shedding of overdue requests. */
function wait(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 4) {
    now += 4;
    jest.advanceTimersByTime(4);
  }
}
const finishAll = (): void => {
  for (const request of started.splice(0)) admission.finish(request);
};
const countOf = (requests: readonly Request[], trafficClass: TrafficClass, flow?: string | number): number =>
  requests.filter((one) => one.trafficClass === trafficClass && (flow === undefined || one.flow === flow))
    .length;

test('four requests start in one turn of the event loop, and the others in later turns', async () => {
  send('creates', 1, 7);
  expect(started).toHaveLength(4);
  await turns(1);
  expect(started).toHaveLength(7);
});

test('slots are reserved for completions and creates, even if many reads arrive', async () => {
  for (const flow of [1, 2, 3]) send('others', flow, 40);
  await turns(20);
  expect(started).toHaveLength(16);
  for (const flow of [1, 2, 3]) send('creates', flow, 40);
  await turns(20);
  expect(started).toHaveLength(20);
  for (const flow of [1, 2, 3]) send('unverified', flow, 40);
  for (const flow of [1, 2, 3]) send('completions', flow, 40);
  await turns(20);
  expect([countOf(started, 'completions'), countOf(started, 'unverified')]).toEqual([4, 4]);
});

test('reads leave the slots reserved for completions free after creates have taken theirs', async () => {
  for (const flow of [1, 2]) send('creates', flow, 40);
  await turns(20);
  expect(started).toHaveLength(20);
  for (const flow of [1, 2]) send('others', flow, 40);
  await turns(20);
  expect(countOf(started, 'others')).toBe(0);
  send('completions', 3, 4);
  await turns(2);
  expect(countOf(started, 'completions')).toBe(4);
});

test('at most three lists of an environment run, and lists leave slots and database connections to others', async () => {
  send('lists', 1, 20);
  await turns(20);
  expect(started).toHaveLength(3);
  for (const flow of [2, 3, 4]) send('lists', flow, 20);
  await turns(20);
  expect([countOf(started, 'lists'), admission.waiting('lists')]).toEqual([6, 74]);
  for (const flow of [5, 6]) send('others', flow, 20);
  await turns(20);
  expect(countOf(started, 'others')).toBe(10);
});

test('one environment gets at most 60 % of the slots of a class', async () => {
  send('completions', 'flooding', 100);
  await turns(20);
  expect(started).toHaveLength(15);
  send('completions', 'other', 3);
  await turns(2);
  expect(countOf(started, 'completions', 'other')).toBe(3);
});

test('queued classes start by weight', async () => {
  for (const flow of [1, 2])
    for (const one of ['completions', 'creates', 'others', 'anonymous'] as const) send(one, flow, 400);
  await turns(10);
  started.splice(0).forEach((request) => {
    admission.finish(request);
  });
  const all: Request[] = [];
  for (let round = 0; round < 60; round += 1) {
    await turns(1);
    all.push(...started);
    finishAll();
  }
  const shares = (['completions', 'creates', 'others', 'anonymous'] as const).map(
    (one) => countOf(all, one) / all.length,
  );
  expect(shares.map((share) => Math.round(share * 21))).toEqual([8, 8, 4, 1]);
});

test('a burst may wait for seconds, even if nothing starts for some time', async () => {
  send('creates', 1, 100);
  await turns(10);
  wait(4_900);
  expect(shed).toHaveLength(0);
  wait(200);
  expect(shed).toHaveLength(88);
});

test('in a standing queue, requests start soon or get a paced rejection, and another environment is not affected', async () => {
  const waitedMs = (requests: readonly Request[]): number =>
    Math.max(...requests.map(({ since }) => now - since));
  const waits = { started: 0, shed: 0 };
  for (let passed = 0; passed < 3_000; passed += 20) {
    send('others', 'flooding', 40);
    finishAll();
    await turns(5);
    const shedBefore = shed.length;
    wait(20);
    if (passed < 1_000) continue;
    waits.started = Math.max(waits.started, waitedMs(started));
    waits.shed = Math.max(waits.shed, waitedMs(shed.slice(shedBefore)));
  }
  expect(countOf(shed, 'others', 'flooding')).toBeGreaterThan(2_000);
  expect(waits.started).toBeLessThan(100);
  expect(waits.shed).toBeLessThan(1_000);
  send('others', 'quiet', 30);
  await turns(3);
  wait(100);
  expect(countOf(shed, 'others', 'quiet')).toBe(0);
});

test('if many requests become overdue at once, each is rejected within 700 ms', async () => {
  send('creates', 'flooding', 3_900);
  await turns(20);
  wait(5_000);
  const before = shed.length;
  wait(200);
  expect(shed.length - before).toBeLessThan(2_000);
  wait(500);
  expect(shed).toHaveLength(3_900 - started.length);
});

test('an overdue request takes a slot that no other request needs, the newest first', async () => {
  send('others', 'busy', 200);
  await turns(20);
  wait(1_100);
  finishAll();
  const shedBefore = shed.length;
  const [fresh] = send('others', 'busy', 1);
  await turns(20);
  expect(started.map(({ name }) => name)).toEqual([
    fresh?.name,
    ...Array.from({ length: 9 }, (_, place) => `others busy ${199 - place}`),
  ]);
  wait(700);
  expect(shed.length - shedBefore).toBe(200 - 10 - 9 - shedBefore);
  expect([admission.waiting('others'), admission.inProgress('others')]).toEqual([0, 10]);
});

test('an environment at its limit does not keep idle slots from an overdue request of another', async () => {
  send('others', 'quiet', 20);
  send('others', 'busy', 40);
  await turns(20);
  wait(1_008);
  for (const request of started.splice(0)) if (request.flow === 'quiet') admission.finish(request);
  await turns(5);
  expect(countOf(started, 'others', 'quiet')).toBeGreaterThan(0);
});

test('an overdue request whose key pair is verified meanwhile gets its class', async () => {
  send('unverified', 'address', 100);
  wait(2_008);
  reclassify = (request) => {
    request.trafficClass = 'creates';
    admission.submit(request);
    return true;
  };
  admission.finish(started[0]!);
  await turns(5);
  expect(countOf(started, 'creates')).toBeGreaterThan(0);
  expect(admission.inProgress('unverified')).toBe(2);
});

test('overdue requests whose client has left occupy no place in the queue and delay no rejection', async () => {
  const abandoned = send('creates', 'flooding', 3_900);
  await turns(20);
  wait(5_008);
  for (const request of abandoned) request.isClosed = true;
  const before = shed.length;
  send('creates', 'bank', 1);
  wait(8);
  expect([admission.waiting('creates'), shed.length - before]).toEqual([0, 0]);
});

test('when the queue is full, the flow with the most waiting requests loses one', async () => {
  send('completions', 'flooding', 15);
  await turns(5);
  send('completions', 'flooding', 4_000);
  expect([admission.waiting('completions'), shed]).toEqual([4_000, []]);
  send('completions', 'bank', 3);
  expect(shed.map(({ flow }) => flow)).toEqual(['flooding', 'flooding', 'flooding']);
  finishAll();
  await turns(2);
  expect(countOf(started, 'completions', 'bank')).toBe(3);
});

test('health checks take no slot and need none', async () => {
  send('completions', 1, 30);
  send('completions', 2, 30);
  await turns(20);
  expect(started).toHaveLength(24);
  send('health', 'balancer', 1);
  await turns(1);
  expect(started.at(-1)?.trafficClass).toBe('health');
  started.forEach((request) => {
    admission.finish(request);
  });
  started = [];
  await turns(20);
  expect(started).toHaveLength(24);
});

test('a request whose key pair is verified meanwhile leaves the queue of unverified requests', async () => {
  send('unverified', 'address', 10);
  expect(admission.inProgress('unverified')).toBe(3);
  reclassify = (request) => {
    request.trafficClass = 'creates';
    request.flow = 7;
    admission.submit(request);
    return true;
  };
  admission.finish(started[0]!);
  await turns(5);
  expect(countOf(started, 'creates', 7)).toBe(7);
  expect([admission.waiting('unverified'), admission.inProgress('unverified')]).toEqual([0, 2]);
});

test('a closed connection leaves nothing in the queue that makes the next burst look like a standing queue', async () => {
  const [first] = send('creates', 1, 1);
  for (let sent = 0; sent < 20; sent += 1) admission.submit({ ...first!, name: 'pipelined' });
  clearConnection(first!.connection);
  finishAll();
  await turns(5);
  wait(10_000);
  for (let passed = 0; passed < 800; passed += 20) {
    send('creates', 1, 40);
    await turns(5);
    wait(20);
  }
  expect(shed).toEqual([]);
});

test('a client with a few connections that are always busy is not shed on a slow machine', async () => {
  for (let passed = 0; passed < 2_000; passed += 40) {
    send('others', 'busy', 25 - admission.waiting('others'));
    await turns(5);
    wait(40);
    finishAll();
  }
  expect(shed).toEqual([]);
});
