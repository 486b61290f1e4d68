import {
  completionNumber,
  type Event,
  hasCompleted,
  type Model,
  netCents,
  openCents,
  type Return,
  returnedCents,
  type Transaction,
} from '../model';
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
  others: Event['evidence'] = {},
): void {
  const evidence = {
    ...others,
    ...(said.cents === undefined ? {} : { amount_cents: said.cents }),
    ...(said.reference === undefined ? {} : { bank_reference: said.reference }),
    ...(said.valueDate === undefined ? {} : { value_date: said.valueDate }),
  };
  const actor = environmentOfCaller(caller);
  const completion = completionNumber(transaction);
  const event: Event = { type, completion, actor, actorKey: caller.pair.apiKey, evidence };
  model.transactions.set(transaction.id, { ...transaction, events: [...transaction.events, event] });
}

/**
 * Every reference that an earlier request has stated for a transaction, and that the service
 * accepted. A late retry of that request proves no new payment.
 */
function knownReferences({ completion, corrections, returns, events }: Transaction): Set<unknown> {
  return new Set([
    completion?.reference,
    ...corrections.map((correction) => correction.completion.reference),
    ...returns.map(({ reference }) => reference),
    ...events
      .filter(({ type, evidence }) => type === 'completion_repeated' && !evidence['net_amount_is_zero'])
      .map(({ evidence }) => evidence['bank_reference']),
  ]);
}

function recordCompletion(model: Model, caller: Caller, transaction: Transaction, said: Evidence): void {
  const completed: Transaction = {
    ...transaction,
    isCorrected: false,
    completion: {
      by: environmentOfCaller(caller),
      with: caller.pair.apiKey,
      reference: said.reference ?? null,
      valueDate: said.valueDate ?? null,
      linksBefore: model.linksMade,
      afterMark: model.marks,
    },
  };
  append(model, completed, 'completed', caller, said);
}

/** A new payment undoes all open returns, oldest first. */
function payAgain(
  model: Model,
  caller: Caller,
  transaction: Transaction,
  reference: string,
  valueDate: string | undefined,
): void {
  const added = transaction.returns
    .filter((one) => one.undoes === undefined && openCents(transaction, one) > 0)
    .map((one): Return => ({
      id: undefined,
      undoes: one.id,
      kind: 'paid_again',
      cents: openCents(transaction, one),
      reference,
      with: caller.pair.apiKey,
    }));
  const events = added.map(({ undoes, kind, cents }): Event => ({
    type: 'return_undone',
    completion: completionNumber(transaction),
    actor: environmentOfCaller(caller),
    actorKey: caller.pair.apiKey,
    evidence: {
      undoes: undoes!,
      kind,
      amount_cents: cents,
      bank_reference: reference,
      ...(valueDate === undefined ? {} : { value_date: valueDate }),
    },
  }));
  model.transactions.set(transaction.id, {
    ...transaction,
    returns: [...transaction.returns, ...added],
    events: [...transaction.events, ...events],
  });
}

/**
 * A completion of a contribution whose net amount is zero: a new payment, or a repeat that an
 * operator has to look at.
 */
function judgeUndone(
  model: Model,
  caller: Caller,
  transaction: Transaction,
  said: Evidence,
  response: CommandResponse,
): string | undefined {
  const environment = environmentOfCaller(caller);
  const { reference } = said;
  const isNewReference = reference !== undefined && !knownReferences(transaction).has(reference);
  if (transaction.isCorrected) {
    const isProven = isNewReference || !hasCompleted(transaction, environment);
    if (isProven && mayComplete(model, environment, transaction)) {
      recordCompletion(model, caller, transaction, said);
      return judgeBody(response, '200', undefined);
    }
  } else if (isNewReference) {
    payAgain(model, caller, transaction, reference, said.valueDate);
    return judgeBody(response, '200', undefined);
  }
  append(model, transaction, 'completion_repeated', caller, said, { net_amount_is_zero: true });
  return judgeBody(response, '200 replayed', '0.00');
}

/** Only a repeat that changed nothing says that the net amount is zero. */
function judgeBody(response: CommandResponse, outcome: string, net: string | undefined): string | undefined {
  const isRight = response.outcome === outcome && response.body['net_amount'] === net;
  return isRight ? undefined : `${outcome}, net_amount ${net ?? 'absent'}`;
}

function judgeRepeat(
  model: Model,
  caller: Caller,
  transaction: Transaction,
  said: Evidence,
  response: CommandResponse,
): string | undefined {
  const { reference, valueDate } = transaction.completion!;
  const differs = (now: string | undefined, before: string | null) => now !== undefined && now !== before;
  // A retry of a payment that was recorded as paid_again is no new evidence. While a return is
  // open, it contradicts the payment: only an operator can tell which of them happened.
  const repeatsUndo =
    returnedCents(transaction) === 0 &&
    transaction.returns.some((other) => other.kind === 'paid_again' && other.reference === said.reference);
  if (!repeatsUndo && (differs(said.reference, reference) || differs(said.valueDate, valueDate)))
    append(model, transaction, 'completion_repeated', caller, said);
  return judgeBody(response, '200 replayed', undefined);
}

/** Decisions 6, 7 and 17 in the order of evaluation. A correction releases the completion. */
function judgeCompletion(
  model: Model,
  caller: Caller,
  id: string,
  said: Evidence,
  response: CommandResponse,
): string | undefined {
  const environment = environmentOfCaller(caller);
  const transaction = model.transactions.get(id);
  if (!transaction || !(maySee(model, environment, transaction) || hasCompleted(transaction, environment)))
    return expectOutcome(response, '404 transaction_not_found');
  const { completion, isCorrected, cents } = transaction;
  const isOwn = completion?.by === environment;
  const mayNow = mayComplete(model, environment, transaction);
  if (transaction.environment === environment && !isOwn && !mayNow)
    return expectOutcome(response, '403 completion_reserved_for_bank');
  if (completion && !isOwn && !(isCorrected && mayNow)) {
    append(model, transaction, 'completion_contested', caller, said);
    return expectOutcome(response, '409 completed_by_another');
  }
  if (said.cents !== undefined && said.cents !== cents) {
    append(model, transaction, 'completion_refused', caller, said);
    return expectOutcome(response, '409 amount_mismatch');
  }
  if (completion && netCents(transaction) === 0)
    return judgeUndone(model, caller, transaction, said, response);
  if (completion) return judgeRepeat(model, caller, transaction, said, response);
  recordCompletion(model, caller, transaction, said);
  return judgeBody(response, '200', undefined);
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
