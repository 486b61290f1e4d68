import { type Model, type Transaction, underKey } from '../model';
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

export interface CreateRequest {
  readonly key: string | undefined;
  readonly project: number;
  readonly cents: number;
  readonly user: string;
  readonly name?: string | undefined;
  /** None of these is compared with the first request (decision 5). */
  readonly route?: 'contributions/create' | 'orders/make' | 'create/payment' | undefined;
  readonly amountIsNumber?: boolean | undefined;
}

export type KeyState =
  'no key' | 'unused' | 'the same request' | 'another amount' | 'another project' | 'another user';

/** The result of an existing key in an environment, for a request with it. */
export function keyStateOf(model: Model, caller: Caller, request: CreateRequest): KeyState {
  if (request.key === undefined) return 'no key';
  const earlier = underKey(model, environmentOfCaller(caller), request.key);
  if (!earlier) return 'unused';
  if (earlier.cents !== request.cents) return 'another amount';
  if (earlier.project !== request.project) return 'another project';
  return earlier.user === request.user ? 'the same request' : 'another user';
}

function judgeNew(
  model: Model,
  caller: Caller,
  request: CreateRequest,
  response: CommandResponse,
): string | undefined {
  const id = String(response.body['transaction_id']);
  if (response.outcome !== '201' || model.transactions.has(id)) return '201 with a new id';
  const environment = environmentOfCaller(caller);
  const evidence = { project_id: request.project, amount_cents: request.cents };
  const created: Transaction = {
    id,
    environment,
    key: request.key,
    project: request.project,
    cents: request.cents,
    user: request.user,
    createdWith: caller.pair.apiKey,
    linksBefore: model.links.length,
    createdUnder: model.links.flatMap((link, place) =>
      link.environment === environment && link.isInForce ? [place] : [],
    ),
    completion: undefined,
    isCorrected: false,
    corrections: [],
    returns: [],
    events: [{ type: 'created', completion: 1, actor: environment, actorKey: caller.pair.apiKey, evidence }],
  };
  model.transactions.set(id, created);
  // A later create with another name replaces it, and one without a name keeps it (sdk.md).
  const user = `${environment} ${request.user}`;
  model.names.set(user, request.name ?? model.names.get(user) ?? null);
  return undefined;
}

/** Creates a contribution, or repeats its creation, depending on the key (decision 5). */
export function create(caller: Caller, request: CreateRequest): Command {
  const { key, project, cents, user, name, route = 'contributions/create', amountIsNumber } = request;
  const dollars = (cents / 100).toFixed(2);
  return {
    title: `${describeCaller(caller)} ${route} key=${key ?? '-'} project=${project} amount=${dollars} user=${user} name=${name ?? '-'}`,
    send: (service) =>
      service.call({
        method: route === 'contributions/create' ? 'PUT' : 'POST',
        path: route,
        pair: caller.pair,
        body: {
          project_id: project,
          amount: amountIsNumber ? Number(dollars) : dollars,
          user_hash: user,
          ...(name === undefined ? {} : { name }),
        },
        ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:create'),
        response,
        () => {
          const state = keyStateOf(model, caller, request);
          if (state === 'no key' || state === 'unused') return judgeNew(model, caller, request, response);
          if (state !== 'the same request') return expectOutcome(response, '422 idempotency_key_reused');
          const id = underKey(model, environmentOfCaller(caller), key!)?.id;
          // The first response again: the same id and status pending (which the contract checks),
          // even if it has been completed.
          return response.outcome === '201 replayed' && response.body['transaction_id'] === id
            ? undefined
            : `201 replayed with ${id}`;
        },
      ),
  };
}
