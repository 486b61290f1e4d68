import { isDeepStrictEqual } from 'node:util';

import { linksBetween, type Model, type Transaction } from '../model';
import type { Environment } from '../principals';
import { maySee } from '../rights';
import {
  expectedFromAuthentication,
  type Caller,
  type Command,
  describeCaller,
  environmentOfCaller,
  judgeAfterAuthentication,
} from './command';
import { viewFor, withoutTimes } from './read';

/** A time recorded between two steps, and its number. */
export interface Mark {
  readonly number: number;
  /** As the API accepts it. */
  readonly time: string;
}

export interface ListFilter {
  readonly status?: 'pending' | 'completed';
  readonly completedFrom?: Mark;
  readonly completedTo?: Mark;
  readonly key?: string | undefined;
  readonly user?: string;
}

function matches(model: Model, filter: ListFilter, reader: Environment, transaction: Transaction): boolean {
  const { status, completedFrom, completedTo, key, user } = filter;
  const { completion, environment } = transaction;
  const isOwn = environment === reader;
  if (status !== undefined && (completion ? 'completed' : 'pending') !== status) return false;
  // From is inclusive, to is exclusive. A filter by completion time matches completed contributions
  // only (bank.md, "Reconciling").
  if (completedFrom && !(completion && completion.afterMark >= completedFrom.number)) return false;
  if (completedTo && !(completion && completion.afterMark < completedTo.number)) return false;
  // For a bank, a list by completion time starts at its first link (decision 7).
  const isByCompletion = completedFrom !== undefined || completedTo !== undefined;
  if (isByCompletion && !isOwn && completion) {
    const [first = Infinity] = linksBetween(model, environment, reader);
    if (completion.linksBefore <= first) return false;
  }
  // A bank sees neither the key nor the user's hash, so these filters match nothing.
  if (key !== undefined && !(isOwn && transaction.key === key)) return false;
  return user === undefined || (isOwn && transaction.user === user);
}

function expectedList(model: Model, reader: Environment, filter: ListFilter) {
  return [...model.transactions.values()]
    .filter(
      (transaction) => maySee(model, reader, transaction) && matches(model, filter, reader, transaction),
    )
    .map((transaction) => viewFor(model, reader, transaction));
}

function byId(list: readonly (Record<string, unknown> | undefined)[]) {
  return [...list].sort((one, other) =>
    String(one?.['transaction_id']) < String(other?.['transaction_id']) ? -1 : 1,
  );
}

function queryOf({ status, completedFrom, completedTo, key, user }: ListFilter): string {
  const query = new URLSearchParams({ limit: '1000' });
  if (status !== undefined) query.set('status', status);
  if (completedFrom) query.set('completed_from', completedFrom.time);
  if (completedTo) query.set('completed_to', completedTo.time);
  if (key !== undefined) query.set('idempotency_key', key);
  if (user !== undefined) query.set('user_hash', user);
  return query.toString();
}

/**
 * Lists contributions. The response must be the set of all matching contributions with all their
 * fields.
 */
export function list(caller: Caller, filter: ListFilter): Command {
  const query = queryOf(filter);
  return {
    title: `${describeCaller(caller)} list ${query}`,
    send: (service) => service.call({ method: 'GET', path: `contributions?${query}`, pair: caller.pair }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:read'),
        response,
        () => {
          const expected = expectedList(model, environmentOfCaller(caller), filter);
          const shown =
            response.outcome === '200' ? (response.body['data'] as unknown[]).map(withoutTimes) : [];
          const isRight =
            response.outcome === '200' &&
            response.body['has_more'] === false &&
            isDeepStrictEqual(byId(shown), byId(expected));
          return isRight ? undefined : `200 ${JSON.stringify(expected)}`;
        },
      ),
  };
}
