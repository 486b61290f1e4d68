import { completionNumber, type Correction, hasCompleted, type Model, type Transaction } from '../model';
import { maySee } from '../rights';
import {
  type Caller,
  type Command,
  type CommandResponse,
  describeCaller,
  environmentOfCaller,
  expectedFromAuthentication,
  expectOutcome,
  judgeAfterAuthentication,
} from './command';

/** The party that takes a completion back; nobody for an operator. */
type Actor = Pick<Correction, 'actor' | 'with'>;

/** The correction that a repeat gets: that of the same party and reason, or the one in force. */
function earlierOf(transaction: Transaction, { actor }: Actor, reason: string): Correction | undefined {
  const { corrections, completion, isCorrected } = transaction;
  const same = corrections.find((other) => other.actor === actor && other.reason === reason);
  if (same) return same;
  return isCorrected && (actor === undefined || completion?.by === actor) ? corrections.at(-1) : undefined;
}

/** Takes the completion back. At most one correction is in force, for the whole net amount. */
function record(
  model: Model,
  transaction: Transaction,
  actor: Actor,
  reason: string,
  { body }: CommandResponse,
): void {
  const at = actor.actor === undefined ? undefined : String(body['corrected_at']);
  const { reference, valueDate } = transaction.completion!;
  model.transactions.set(transaction.id, {
    ...transaction,
    isCorrected: true,
    corrections: [...transaction.corrections, { ...actor, completion: transaction.completion!, reason, at }],
    events: [
      ...transaction.events,
      {
        type: 'corrected',
        completion: completionNumber(transaction),
        actor: actor.actor,
        actorKey: actor.with,
        evidence: {
          ...(reference === null ? {} : { bank_reference: reference }),
          ...(valueDate === null ? {} : { value_date: valueDate }),
        },
      },
    ],
  });
}

function judgeCorrection(
  model: Model,
  caller: Caller,
  id: string,
  reason: string,
  response: CommandResponse,
): string | undefined {
  const environment = environmentOfCaller(caller);
  const transaction = model.transactions.get(id);
  if (!transaction || !(maySee(model, environment, transaction) || hasCompleted(transaction, environment)))
    return expectOutcome(response, '404 transaction_not_found');
  const { completion, returns } = transaction;
  if (!completion) return expectOutcome(response, '409 contribution_not_completed');
  const actor: Actor = { actor: environment, with: caller.pair.apiKey };
  const earlier = earlierOf(transaction, actor, reason);
  if (earlier) {
    const isRight =
      response.outcome === '201 replayed' &&
      (earlier.at === undefined || response.body['corrected_at'] === earlier.at);
    return isRight ? undefined : `201 replayed with corrected_at ${earlier.at ?? ''}`;
  }
  if (completion.by !== environment) return expectOutcome(response, '403 correction_reserved');
  // It may be a late repeat of an earlier correction.
  if (completionNumber(transaction) > 1) return expectOutcome(response, '409 correction_ambiguous');
  if (returns.length > 0) return expectOutcome(response, '409 contribution_has_returns');
  record(model, transaction, actor, reason, response);
  return expectOutcome(response, '201');
}

/** Takes a completion back, or repeats that. */
export function correct(caller: Caller, id: string, reason: string): Command {
  return {
    title: `${describeCaller(caller)} correct ${id}: ${reason}`,
    isJudgedAtItsBeginning: true,
    send: (service) =>
      service.call({
        method: 'POST',
        path: `contributions/${id}/correction`,
        pair: caller.pair,
        body: { reason },
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:return'),
        response,
        () => judgeCorrection(model, caller, id, reason, response),
      ),
  };
}

/** The operator takes a completion back. */
export function correctAsOperator(id: string, reason: string): Command {
  return {
    title: `the operator corrects ${id}: ${reason}`,
    send: (service) => service.correct(id, reason),
    judge(model, response) {
      const actor: Actor = { actor: undefined, with: undefined };
      const transaction = model.transactions.get(id);
      if (!transaction) return expectOutcome(response, 'unknown');
      if (!transaction.completion) return expectOutcome(response, 'not_completed');
      if (earlierOf(transaction, actor, reason)) return expectOutcome(response, 'replayed');
      if (transaction.returns.length > 0) return expectOutcome(response, 'has_returns');
      record(model, transaction, actor, reason, response);
      return expectOutcome(response, 'corrected');
    },
  };
}
