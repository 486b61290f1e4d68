import type { Attempted, ClaimedEndpoint, Delivery } from '../../src/features/webhooks/courier/delivery';
import type { BatchOutcome } from '../../src/features/webhooks/courier/ordered-deliveries';
import { recordedBatch } from '../../src/features/webhooks/courier/recorded-batch';

/** Which failed attempts count toward the last one, and when the service gives up an event. */
const endpointOf = (failureCount: number) =>
  ({
    ...{ endpointId: 'endpoint', settings: '', failureCount, failingForSeconds: failureCount > 0 ? 5 : 0 },
    ...{ probeCount: 0, noticeCount: 0, nextProbeAt: null, isProbeDue: false },
  }) as unknown as ClaimedEndpoint;

const attempt = (name: string, isSuccess: boolean, startedAt: number, delivery: Partial<Delivery> = {}) =>
  ({
    delivery: {
      ...{ kind: 'first', attempts: 0, outageAttempts: 0, isBlocked: false, hasRetry: false },
      event: { eventId: name, transactionId: name, sequence: 1, type: 'contribution.created' },
      ...delivery,
    },
    result: { isSuccess, status: isSuccess ? 204 : 500, durationMs: 1 },
    endedAt: startedAt + 1,
  }) as unknown as Attempted;
const retry = (attempts: number, outageAttempts = 0): Partial<Delivery> => ({
  ...{ kind: 'retry', hasRetry: true },
  ...{ attempts, outageAttempts },
});

function record(attempted: Attempted[], failureCount = 0) {
  const outcome = { attempted, held: [], blocked: [], unfinished: [] } as unknown as BatchOutcome;
  const starts = attempted.filter(({ result }) => result.isSuccess).map(({ endedAt }) => endedAt - 1);
  return recordedBatch(endpointOf(failureCount), outcome, {
    isProbe: false,
    position: 1,
    missing: [],
    hasMore: false,
    hasLate: false,
    isOutdated: false,
    lastSuccessAt: Math.max(-Infinity, ...starts),
  });
}
const outcomeOf = (batch: ReturnType<typeof record>, name: string) =>
  batch.attempts.find(({ event_id }) => event_id === name)?.outcome;

test('after the last attempt, an event is given up if another one was delivered since', () => {
  const batch = record([attempt('A', false, 1, retry(11)), attempt('B', true, 2)]);
  expect(outcomeOf(batch, 'A')).toBe('exhausted');
  expect([batch.exhausted, batch.rescheduled]).toEqual([['A'], []]);
});

test('the last attempt is repeated if it can be the first failure of an outage', () => {
  const batch = record([attempt('B', true, 1), attempt('A', false, 2, retry(11))]);
  expect(outcomeOf(batch, 'A')).toBe('failed');
  expect(batch.exhausted).toEqual([]);
  expect(batch.exhausted_notices).toEqual([]);
  expect(batch.rescheduled).toEqual([
    { event_id: 'A', wait_seconds: expect.any(Number), attempts: 1, outage_attempts: 1 },
  ]);
  const seconds = batch.rescheduled[0]!.wait_seconds;
  expect(seconds).toBeGreaterThanOrEqual(0.8 * 3_600);
  expect(seconds).toBeLessThanOrEqual(1.2 * 3_600);
});

test.each([
  ['nothing was delivered since', 2, 'failed'],
  ['another event was delivered since', 0, 'exhausted'],
])('the repetition of the last attempt fails, and %s', (_when, outageAttempts, outcome) => {
  const batch = record([attempt('A', false, 1, retry(13, outageAttempts))], outageAttempts);
  expect(outcomeOf(batch, 'A')).toBe(outcome);
});

test('an event is not given up during an outage', () => {
  const batch = record([attempt('A', false, 1, retry(13))], 9);
  expect(batch.health).toMatchObject({ failure_count: 10 });
  expect(outcomeOf(batch, 'A')).toBe('failed');
});

test('a failure before a success of the same batch does not count toward an outage', () => {
  const batch = record([
    attempt('A', false, 1),
    attempt('B', false, 1, retry(2)),
    attempt('C', true, 2),
    attempt('D', false, 3),
    attempt('E', false, 3, retry(2)),
  ]);
  expect(batch.health).toMatchObject({ failure_count: 2 });
  expect(
    batch.postponed.map(({ event_id, attempts, outage_attempts }) => [event_id, attempts, outage_attempts]),
  ).toEqual([
    ['A', 1, 0],
    ['D', 1, 1],
  ]);
  expect(
    batch.rescheduled.map(({ event_id, attempts, outage_attempts }) => [event_id, attempts, outage_attempts]),
  ).toEqual([
    ['B', 1, 0],
    ['E', 1, 1],
  ]);
});
