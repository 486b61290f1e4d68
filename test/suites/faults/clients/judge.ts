import type { Completion, Intention, Journal } from '../journal/journal';
import type { Exchange } from './http';

/** What a client may conclude from a response. */
export type Verdict = 'acknowledged' | 'nothing' | 'uncertain' | 'refused';

/** A 503 must have Retry-After. No other error is permitted for a valid request. */
function isRetryable(journal: Journal, operation: string, exchange: Exchange): boolean {
  const { response } = exchange;
  if (response?.status === 503) {
    journal.counts.retryableErrors += 1;
    if (response.headers['retry-after'] === undefined || response.body['retryable'] !== true) {
      journal.violate('illegal', `${operation}: 503 without Retry-After or retryable`);
    }
    return true;
  }
  // The server did not receive the whole request in time.
  return response?.status === 408;
}

function describe(exchange: Exchange): string {
  const { response } = exchange;
  return response ? `${response.status} ${JSON.stringify(response.body)}` : 'no response';
}

/** Judges the response to a valid create. */
export function judgeCreate(
  journal: Journal,
  intention: Intention,
  exchange: Exchange,
): { verdict: Verdict; completion?: Completion } {
  const operation = intention.idempotencyKey === undefined ? 'create without key' : 'create with key';
  const { response } = exchange;
  journal.counts.mutatingRequests += 1;
  journal.counts.creates += 1;
  journal.touched.amounts.add(intention.amountCents);
  if (response?.status === 201 && response.body['status'] === 'pending') {
    const transactionId = String(response.body['transaction_id']);
    if (response.headers['idempotent-replayed'] === 'true') journal.counts.replayedResponses += 1;
    return {
      verdict: 'acknowledged',
      completion: journal.acknowledgedCreate(intention, transactionId, exchange),
    };
  }
  const isExpected = response === undefined || response.status >= 500 || response.status === 408;
  if (!isExpected) {
    journal.violate('illegal', `${operation}: ${describe(exchange)}`);
    return { verdict: 'refused' };
  }
  journal.disturbed(operation, exchange);
  if (response === undefined) {
    journal.counts.unanswered += 1;
    intention.uncertain += 1;
    return { verdict: 'uncertain' };
  }
  if (isRetryable(journal, operation, exchange)) {
    // Without a key, `retryable` promises that nothing happened.
    if (intention.idempotencyKey === undefined) return { verdict: 'nothing' };
    intention.uncertain += 1;
    return { verdict: 'uncertain' };
  }
  journal.counts.unknownOutcomes += 1;
  intention.uncertain += 1;
  const isHonest =
    response.body['code'] === 'outcome_unknown' &&
    response.body['retryable'] === false &&
    response.headers['retry-after'] === undefined &&
    intention.idempotencyKey === undefined;
  if (!isHonest) journal.violate('illegal', `${operation}: ${describe(exchange)}`);
  return { verdict: 'uncertain' };
}

/** Judges the response to a valid completion by a caller that may complete. */
export function judgeCompletion(journal: Journal, completion: Completion, exchange: Exchange): Verdict {
  journal.counts.completions += 1;
  const { response } = exchange;
  const isRight = response?.status === 200 && response.body['status'] === 'completed';
  return judgeChange(journal, 'complete', completion, exchange, isRight);
}

/** Judges the response to a valid correction by the party that completed. */
export function judgeCorrection(journal: Journal, completion: Completion, exchange: Exchange): Verdict {
  journal.counts.corrections += 1;
  return judgeChange(journal, 'correct', completion, exchange, exchange.response?.status === 201);
}

/**
 * Judges the response to the old request while the completion is corrected: it says that nothing
 * counts.
 */
export function judgeLateRepeat(journal: Journal, completion: Completion, exchange: Exchange): void {
  const { response } = exchange;
  const isRight = response?.status === 200 && response.body['net_amount'] === '0.00';
  judgeChange(journal, 'late repeat', completion, exchange, isRight);
}

function judgeChange(
  journal: Journal,
  operation: string,
  completion: Completion,
  exchange: Exchange,
  isRight: boolean,
): Verdict {
  const { response } = exchange;
  journal.counts.mutatingRequests += 1;
  journal.touched.transactions.add(completion.transactionId);
  if (isRight) {
    if (response?.headers['idempotent-replayed'] === 'true') journal.counts.replayedResponses += 1;
    if (operation !== 'correct') journal.acknowledgedCompletion(completion, exchange);
    return 'acknowledged';
  }
  if (response?.status === 404) {
    journal.violate('lost', `${completion.transactionId} was acknowledged and does not exist any more`);
    return 'refused';
  }
  if (response === undefined || isRetryable(journal, operation, exchange)) {
    if (response === undefined) journal.counts.unanswered += 1;
    journal.disturbed(operation, exchange);
    return 'uncertain';
  }
  journal.violate('illegal', `${operation}: ${describe(exchange)}`);
  return 'refused';
}

/** Judges the response to a request that must be rejected: this status, or a fault. */
export function judgeRefusal(journal: Journal, operation: string, status: number, exchange: Exchange): void {
  const { response } = exchange;
  journal.counts.mutatingRequests += 1;
  if (response?.status === status) return;
  if (response === undefined || isRetryable(journal, operation, exchange))
    journal.disturbed(operation, exchange);
  else journal.violate('illegal', `${operation}: ${describe(exchange)} instead of ${status}`);
}
