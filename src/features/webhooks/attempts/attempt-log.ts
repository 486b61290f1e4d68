import { v7 as uuidv7 } from 'uuid';

import type { AttemptKind, AttemptOutcome } from './attempt-kind.field';
import type { Attempted } from '../courier/delivery';
import type { SendFailure } from '../sending/send-failure.field';
import type { SendResult } from '../sending/sender';

/** A row of `webhook_attempts`. */
export interface LoggedAttempt {
  attempt_id: string;
  event_id: string;
  kind: AttemptKind;
  attempt: number;
  outcome: AttemptOutcome;
  failure: SendFailure | null;
  status: number | null;
  duration_ms: number;
  response: string | null;
}

/** A row of `webhook_deliveries`: successful attempts, in the order of their start. */
export interface LoggedDeliveries {
  first_attempt_id: string;
  first_sequence: number;
  last_sequence: number;
  sequence_offsets: number[];
  statuses: number[];
  started_ms_ago: number[];
  durations_ms: number[];
}

/** The rows for the attempts of a batch. */
export interface BatchLog {
  /** `ended_ms_ago`: how long ago it started. Earlier releases use the same name. */
  attempts: (LoggedAttempt & { ended_ms_ago: number })[];
  delivered: LoggedDeliveries[];
}

/** A row covers at most this many numbers of the feed, so the row of an event is found fast. */
const mostSequences = 1_000;

/** The log columns for a response, or for a failure without a response. */
export const loggedResult = ({ failure, status, durationMs, response }: SendResult) => ({
  failure: failure ?? null,
  status: status ?? null,
  duration_ms: durationMs,
  response: response ?? null,
});

/** An attempt, or the copy of an event that a sandbox fault added. */
interface Entry {
  attempted: Attempted;
  result: SendResult;
  kind: AttemptKind;
  startedMsAgo: number;
}

const startOf = ({ endedAt, result }: Attempted): number => endedAt - result.durationMs;

/** The attempts and the copies of events, in the order of their start. */
function entriesOf(attempted: readonly Attempted[], replayed: 'replay' | undefined): Entry[] {
  const now = performance.now();
  return attempted
    .toSorted((a, b) => startOf(a) - startOf(b))
    .flatMap((one) => {
      const { delivery, result, endedAt } = one;
      const entry = (sent: SendResult, kind: AttemptKind): Entry => ({
        attempted: one,
        result: sent,
        kind,
        startedMsAgo: Math.round(now - endedAt + sent.durationMs),
      });
      return [
        ...(result.copy ? [entry(result.copy, 'fault')] : []),
        entry(result, replayed ?? delivery.kind),
      ];
    });
}

/** Whether one row can have this attempt together with others. */
const isPacked = ({ kind, result, attempted: { delivery } }: Entry): boolean =>
  result.isSuccess && delivery.attempts === 0 && (kind === 'first' || kind === 'replay');

function rowOf(
  { attempted, result, kind, startedMsAgo }: Entry,
  attemptId: string,
  isExhausted: (one: Attempted) => boolean,
): BatchLog['attempts'][number] {
  const isCopy = kind === 'fault';
  const failed = !isCopy && isExhausted(attempted) ? 'exhausted' : 'failed';
  return {
    attempt_id: attemptId,
    event_id: attempted.delivery.event.eventId,
    ended_ms_ago: startedMsAgo,
    kind,
    attempt: isCopy ? 1 : attempted.delivery.attempts + 1,
    outcome: result.isSuccess ? 'delivered' : failed,
    ...loggedResult(result),
  };
}

/** Ids of attempts that sort by their index in the batch, of 0 to 65,535. */
function idsOfBatch(): (index: number) => string {
  const prefix = uuidv7().slice(0, -4);
  return (index) => prefix + index.toString(16).padStart(4, '0');
}

/** Consecutive successes that share a row. */
class Pack {
  private readonly entries: Entry[] = [];
  private first = Infinity;
  private last = -Infinity;

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** @returns false if the numbers of the events do not fit into one row */
  add(entry: Entry): boolean {
    const { sequence } = entry.attempted.delivery.event;
    const first = Math.min(this.first, sequence);
    const last = Math.max(this.last, sequence);
    if (last - first >= mostSequences) return false;
    this.entries.push(entry);
    [this.first, this.last] = [first, last];
    return true;
  }

  row(firstAttemptId: string): LoggedDeliveries {
    const { entries, first, last } = this;
    return {
      first_attempt_id: firstAttemptId,
      first_sequence: first,
      last_sequence: last,
      sequence_offsets: entries.map(({ attempted }) => attempted.delivery.event.sequence - first),
      statuses: entries.map(({ result }) => result.status ?? 0),
      started_ms_ago: entries.map(({ startedMsAgo }) => startedMsAgo),
      durations_ms: entries.map(({ result }) => result.durationMs),
    };
  }
}

/**
 * The rows for the attempts of a batch. Consecutive successes share a row. The ids of the attempts
 * increase with their start, across both kinds of rows.
 *
 * @param replayed `replay` for the attempts of a replay
 */
export function logOfBatch(
  attempted: readonly Attempted[],
  isExhausted: (one: Attempted) => boolean,
  replayed?: 'replay',
): BatchLog {
  const idOf = idsOfBatch();
  const log: BatchLog = { attempts: [], delivered: [] };
  let pack = new Pack();
  let packStart = 0;
  function endPack(): void {
    if (!pack.isEmpty) log.delivered.push(pack.row(idOf(packStart)));
    pack = new Pack();
  }
  for (const [index, entry] of entriesOf(attempted, replayed).entries()) {
    if (isPacked(entry)) {
      if (!pack.isEmpty && pack.add(entry)) continue;
      endPack();
      packStart = index;
      pack.add(entry);
    } else {
      endPack();
      log.attempts.push(rowOf(entry, idOf(index), isExhausted));
    }
  }
  endPack();
  return log;
}
