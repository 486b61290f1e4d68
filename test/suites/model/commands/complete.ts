import type { Event, Model, Transaction } from '../model';
import { mayComplete, maySee } from '../rights';
import {
  type CommandResponse,
  expectedFromAuthentication,
  type Caller,
  type Command,
  describeCaller,
  environmentOfCaller,
  expectOutcome,
  judgeAfterAuthentication,
} from './command';

/** The caller's evidence of the transfer (bank.md, "Completing"). */
export interface Evidence {
  readonly cents?: number | undefined;
  readonly reference?: string | undefined;
  readonly valueDate?: string | undefined;
}

function append(
  model: Model,
  transaction: Transaction,
  type: Event['type'],
  caller: Caller,
  said: Evidence,
): void {
  const evidence = {
    ...(said.cents === undefined ? {} : { amount_cents: said.cents }),
    ...(said.reference === undefined ? {} : { bank_reference: said.reference }),
    ...(said.valueDate === undefined ? {} : { value_date: said.valueDate }),
  };
  const actor = environmentOfCaller(caller);
  const event: Event = { type, actor, actorKey: caller.pair.apiKey, evidence };
  model.transactions.set(transaction.id, { ...transaction, events: [...transaction.events, event] });
}

/** Decisions 6, 7 and 17 in the order of evaluation. */
function judgeCompletion(
  model: Model,
  caller: Caller,
  id: string,
  said: Evidence,
  response: CommandResponse,
): string | undefined {
  const environment = environmentOfCaller(caller);
  const transaction = model.transactions.get(id);
  if (!transaction || !maySee(model, environment, transaction))
    return expectOutcome(response, '404 transaction_not_found');
  if (!mayComplete(model, environment, transaction))
    return expectOutcome(response, '403 completion_reserved_for_bank');
  const { completion } = transaction;
  if (completion && completion.by !== environment) {
    append(model, transaction, 'completion_contested', caller, said);
    return expectOutcome(response, '409 completed_by_another');
  }
  if (said.cents !== undefined && said.cents !== transaction.cents) {
    append(model, transaction, 'completion_refused', caller, said);
    return expectOutcome(response, '409 amount_mismatch');
  }
  if (completion) {
    const differs = (now: string | undefined, before: string | null) => now !== undefined && now !== before;
    if (differs(said.reference, completion.reference) || differs(said.valueDate, completion.valueDate))
      append(model, transaction, 'completion_repeated', caller, said);
    return expectOutcome(response, '200 replayed');
  }
  const completed: Transaction = {
    ...transaction,
    completion: {
      by: environment,
      with: caller.pair.apiKey,
      reference: said.reference ?? null,
      valueDate: said.valueDate ?? null,
      linksBefore: model.linksMade,
      afterMark: model.marks,
    },
  };
  append(model, completed, 'completed', caller, said);
  return expectOutcome(response, '200');
}

/** Completes a contribution, or repeats the completion. */
export function complete(caller: Caller, id: string, said: Evidence = {}): Command {
  const { cents, reference, valueDate } = said;
  return {
    title: `${describeCaller(caller)} complete ${id} ${JSON.stringify(said)}`,
    isJudgedAtItsBeginning: true,
    send: (service) =>
      service.call({
        method: 'PUT',
        path: `contributions/${id}`,
        pair: caller.pair,
        body: {
          status: 'completed',
          ...(cents === undefined ? {} : { amount: (cents / 100).toFixed(2) }),
          ...(reference === undefined ? {} : { bank_reference: reference }),
          ...(valueDate === undefined ? {} : { value_date: valueDate }),
        },
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:complete'),
        response,
        () => {
          const expected = judgeCompletion(model, caller, id, said, response);
          if (expected !== undefined || response.body['transaction_id'] === id) return expected;
          return response.outcome.startsWith('200') ? `a response about ${id}` : undefined;
        },
      ),
  };
}
