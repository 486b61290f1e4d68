import { Deliveries } from './deliveries';

const event = (sequence: number, changes: object = {}) => ({
  id: `event-${sequence}`,
  sequence,
  type: 'contribution.created',
  data: { transaction_id: 'A', amount: '5.00' },
  ...changes,
});

let problems: string[];
let deliveries: Deliveries;
beforeEach(() => {
  problems = [];
  deliveries = new Deliveries(1, (problem) => problems.push(problem));
});
const receive = (one: ReturnType<typeof event>) => {
  deliveries.receive(one.id, JSON.stringify(one));
};

test('a receiver that got every event of the feed, one twice, has no problem', () => {
  for (const sequence of [1, 2, 1, 3]) receive(event(sequence));
  deliveries.compare([event(1), event(2), event(3)]);
  expect(problems).toEqual([]);
  expect(deliveries).toMatchObject({ count: 3, repeats: 1 });
});

test('a receiver that lacks an event is found', () => {
  receive(event(1));
  deliveries.compare([event(1), event(2)]);
  expect(problems).toEqual(['event event-2 of environment 1 was not delivered']);
});

test('a webhook that is not in the feed is found', () => {
  receive(event(1));
  deliveries.compare([]);
  expect(problems).toEqual(['webhook event-1 of environment 1 is not in its feed']);
});

test('a webhook that differs from the feed is found', () => {
  receive(event(1));
  deliveries.compare([event(1, { data: { transaction_id: 'A', amount: '6.00' } })]);
  expect(problems).toEqual(['event event-1 of environment 1 was delivered with another body']);
});

test('a repeat with another body is found', () => {
  receive(event(1));
  receive(event(1, { type: 'contribution.completed' }));
  expect(problems).toEqual(['webhook event-1 of environment 1 came with two bodies']);
});

test('a webhook with the id of another event is found', () => {
  deliveries.receive('event-2', JSON.stringify(event(1)));
  expect(problems).toEqual(['webhook event-2 of environment 1 has the event event-1']);
});

test('events of one contribution in the wrong order are found, and those of others are not compared', () => {
  receive(event(3));
  receive(event(2, { data: { transaction_id: 'B' } }));
  expect(problems).toEqual([]);
  receive(event(1));
  expect(problems).toEqual(['webhook event-1 of environment 1, event 1 of A, came after 3']);
});
