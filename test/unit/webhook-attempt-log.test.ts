import { logOfBatch } from '../../src/features/webhooks/attempts/attempt-log';
import type { Attempted, Delivery } from '../../src/features/webhooks/courier/delivery';

/** The rows that the attempts of a batch become. */

interface Situation {
  sequence: number;
  /** When it started, in milliseconds from a fixed time. */
  at?: number;
  kind?: Delivery['kind'];
  attempts?: number;
  status?: number;
}

function attempted({ sequence, at = sequence, kind = 'first', attempts = 0, status = 204 }: Situation) {
  const isSuccess = status < 300;
  return {
    delivery: { kind, event: { eventId: `event ${sequence}`, sequence }, attempts },
    result: { isSuccess, status, failure: isSuccess ? undefined : 'status', durationMs: 5 },
    endedAt: at + 5,
  } as Attempted;
}

const logOf = (...situations: Situation[]) => logOfBatch(situations.map(attempted), () => false);

/** The sequence numbers of each row, and the ids of all attempts in the order of their events. */
function rowsOf({ attempts, delivered }: ReturnType<typeof logOf>) {
  const packed = delivered.map((row) => row.sequence_offsets.map((offset) => row.first_sequence + offset));
  return { single: attempts.map(({ event_id: id }) => Number(id.slice(6))), packed };
}

test('successes share a row, in the order of their start', () => {
  const log = logOf({ sequence: 3, at: 1 }, { sequence: 1, at: 3 }, { sequence: 2, at: 2 });
  expect(rowsOf(log)).toEqual({ single: [], packed: [[3, 2, 1]] });
  expect(log.delivered).toMatchObject([
    { first_sequence: 1, last_sequence: 3, statuses: [204, 204, 204], durations_ms: [5, 5, 5] },
  ]);
  const [first = 0, second, third] = log.delivered[0]!.started_ms_ago;
  expect([second, third]).toEqual([first - 1, first - 2]);
});

test('failures, retries and attempts after a failure have rows of their own', () => {
  const log = logOf(
    { sequence: 1 },
    { sequence: 2, status: 503 },
    { sequence: 3, kind: 'retry', attempts: 1 },
    { sequence: 4, kind: 'retry' },
    { sequence: 5 },
    { sequence: 6, attempts: 2 },
  );
  expect(rowsOf(log)).toEqual({ single: [2, 3, 4, 6], packed: [[1], [5]] });
  expect(log.attempts.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
    ['failed', 1],
    ['delivered', 2],
    ['delivered', 1],
    ['delivered', 3],
  ]);
});

test('the ids of a batch sort by the start of the attempts, over both kinds of rows', () => {
  const statuses = Array.from({ length: 300 }, (_, index) => (index % 7 === 3 ? 500 : 200));
  const { attempts, delivered } = logOf(...statuses.map((status, sequence) => ({ sequence, status })));
  const prefix = delivered[0]!.first_attempt_id.slice(0, -4);
  const idAt = (index: number): string => prefix + index.toString(16).padStart(4, '0');
  for (const { attempt_id: id, event_id: event } of attempts)
    expect(id).toBe(idAt(Number(event.slice('event '.length))));
  for (const { first_attempt_id: id, first_sequence: first } of delivered) expect(id).toBe(idAt(first));
});

test.each([
  ['1000 numbers of the feed', [1, 2, 1000], [[1, 2, 1000]]],
  ['1001 numbers of the feed', [1, 2, 1001], [[1, 2], [1001]]],
  ['an older number that started later', [5000, 5001, 4000], [[5000, 5001], [4000]]],
] as const)('a row covers at most 1000 numbers: %s', (_name, sequences, rows) => {
  const log = logOf(...sequences.map((sequence, at) => ({ sequence, at })));
  expect(rowsOf(log).packed).toEqual(rows);
});
