import {
  completionNumber,
  type Event,
  type Model,
  openCents,
  returnedCents,
  type Return,
  type Transaction,
} from '../model';
import { mayReturn, maySee } from '../rights';
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

interface NewReturn {
  readonly cents: number;
  readonly reference: string;
}

type Requested = NewReturn & Pick<Return, 'kind' | 'undoes'>;

/** Why earlier returns cause a rejection (decision 43); undefined if they do not. */
function refusalOf(transaction: Transaction, { undoes, cents }: Requested): string | undefined {
  const exceeds = '409 return_exceeds_amount';
  if (undoes === undefined)
    return returnedCents(transaction) + cents > transaction.cents ? exceeds : undefined;
  const undone = transaction.returns.find(({ id, undoes: other }) => id === undoes && other === undefined);
  if (!undone) return '404 return_not_found';
  return cents > openCents(transaction, undone) ? exceeds : undefined;
}

function record(
  model: Model,
  caller: Caller,
  transaction: Transaction,
  requested: Requested,
  id: string,
): void {
  const { kind, undoes, cents, reference } = requested;
  const event: Event = {
    type: undoes === undefined ? 'returned' : 'return_undone',
    completion: completionNumber(transaction),
    actor: environmentOfCaller(caller),
    actorKey: caller.pair.apiKey,
    evidence: {
      return_id: id,
      kind,
      amount_cents: cents,
      bank_reference: reference,
      ...(undoes === undefined ? {} : { undoes }),
    },
  };
  model.transactions.set(transaction.id, {
    ...transaction,
    returns: [...transaction.returns, { id, undoes, kind, cents, reference, with: caller.pair.apiKey }],
    events: [...transaction.events, event],
  });
}

/** Decision 43 in the order of evaluation. */
function judgeReturn(
  model: Model,
  caller: Caller,
  transactionId: string,
  requested: Requested,
  response: CommandResponse,
): string | undefined {
  const environment = environmentOfCaller(caller);
  const transaction = model.transactions.get(transactionId);
  if (!transaction || !maySee(model, environment, transaction))
    return expectOutcome(response, '404 transaction_not_found');
  if (!transaction.completion) return expectOutcome(response, '409 contribution_not_completed');
  if (transaction.completion.by !== environment) return expectOutcome(response, '403 return_reserved');
  if (transaction.isCorrected) return expectOutcome(response, '409 contribution_not_completed');
  const { kind, undoes, cents, reference } = requested;
  const id = String(response.body[undoes === undefined ? 'return_id' : 'undo_id']);
  const sameReference = transaction.returns.filter(
    (other) => other.reference === reference && other.kind === kind,
  );
  // One payment may undo several returns.
  const earlier = sameReference.find((other) => other.undoes === undoes) ?? sameReference[0];
  if (earlier) {
    if (earlier.cents !== cents || earlier.undoes !== undoes)
      return expectOutcome(response, '409 return_reference_reused');
    if (response.outcome !== '201 replayed' || id !== (earlier.id ?? id))
      return `201 replayed with ${earlier.id ?? 'an id'}`;
    return judgeSums(transaction, response);
  }
  if (!mayReturn(model, environment, transaction)) return expectOutcome(response, '403 return_reserved');
  const refusal = refusalOf(transaction, requested);
  if (refusal !== undefined) return expectOutcome(response, refusal);
  const isKnown = [...model.transactions.values()].some(({ returns }) =>
    returns.some((other) => other.id === id),
  );
  if (response.outcome !== '201' || isKnown) return '201 with a new id';
  record(model, caller, transaction, requested, id);
  return judgeSums(model.transactions.get(transactionId)!, response);
}

/** The sums in a response. */
function judgeSums(transaction: Transaction, { body }: CommandResponse): string | undefined {
  const returned = returnedCents(transaction);
  const expected = [returned, transaction.cents - returned].map((cents) => (cents / 100).toFixed(2));
  const isRight =
    body['transaction_id'] === transaction.id &&
    body['returned_amount'] === expected[0] &&
    body['net_amount'] === expected[1];
  return isRight ? undefined : `returned and net amount ${expected.join(' and ')}`;
}

function command(caller: Caller, id: string, requested: Requested): Command {
  const { kind, undoes, cents, reference } = requested;
  const path = `contributions/${id}/returns`;
  return {
    title: `${describeCaller(caller)} return ${id} ${JSON.stringify(requested)}`,
    isJudgedAtItsBeginning: true,
    send: (service) =>
      service.call({
        method: 'POST',
        path: undoes === undefined ? path : `${path}/${undoes}/undo`,
        pair: caller.pair,
        body: {
          [undoes === undefined ? 'kind' : 'reason']: kind,
          amount: (cents / 100).toFixed(2),
          bank_reference: reference,
        },
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:return'),
        response,
        () => judgeReturn(model, caller, id, requested, response),
      ),
  };
}

/** Records a return, or repeats it. */
export const moneyReturn = (caller: Caller, id: string, requested: NewReturn): Command =>
  command(caller, id, { ...requested, kind: 'return', undoes: undefined });

/** Undoes a return, or repeats that. */
export const undo = (caller: Caller, id: string, requested: NewReturn & { undoes: string }): Command =>
  command(caller, id, { ...requested, kind: 'paid_again' });
