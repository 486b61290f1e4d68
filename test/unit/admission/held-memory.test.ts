import { type CountedRequest, createHeldMemory } from '../../../src/http/server/admission/held-memory';

const limits = { totalBytes: 100 * 1024, bytesOfConnection: 20 * 1024 };
const memory = createHeldMemory(limits);
const reads = { trafficClass: 'others' } as const;

type Connection = CountedRequest['connection'];

function hold(connection: Connection, headers = ['Host', 'service']): CountedRequest {
  const request: CountedRequest = { req: { rawHeaders: headers, url: '/' }, connection, heldBytes: 0 };
  memory.add(request);
  return request;
}

const holdMany = (connection: Connection, count: number): CountedRequest[] =>
  Array.from({ length: count }, () => hold(connection));

test('a connection with many requests exceeds its share only while all connections hold too much', () => {
  const busy = { heldBytes: 0 };
  const few = { heldBytes: 0 };
  const held = holdMany(busy, 20);
  expect(memory.isExceededBy(held[0]!, reads)).toBe(false);
  held.push(...holdMany({ heldBytes: 0 }, 20));
  expect(memory.isExceededBy(held[0]!, reads)).toBe(true);
  const fewRequests = holdMany(few, 4);
  expect(memory.isExceededBy(fewRequests[3]!, reads)).toBe(false);
  for (const request of [...held, ...fewRequests]) memory.remove(request);
  expect([busy.heldBytes, few.heldBytes]).toEqual([0, 0]);
  const [later] = holdMany(busy, 20);
  expect(memory.isExceededBy(later!, reads)).toBe(false);
});

test('headers count, and completions and creates are exempt unless they are rejected', () => {
  const large = ['X-Large', 'x'.repeat(15_000)];
  const one = { heldBytes: 0 };
  const held = [hold(one, large), ...Array.from({ length: 8 }, () => hold({ heldBytes: 0 }, large))];
  expect(memory.isExceededBy(held[0]!, reads)).toBe(false);
  const second = hold(one, large);
  expect(memory.isExceededBy(second, reads)).toBe(true);
  expect(memory.isExceededBy(second, { trafficClass: 'creates' })).toBe(false);
  expect(memory.isExceededBy(second, { trafficClass: 'completions' })).toBe(false);
  expect(memory.isExceededBy(second, { trafficClass: 'creates', rejection: {} })).toBe(true);
});
