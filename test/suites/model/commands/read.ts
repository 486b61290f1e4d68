import { isDeepStrictEqual } from 'node:util';

import { type Model, netCents, returnedCents, type Transaction } from '../model';
import { companyOf, type Environment } from '../principals';
import { maySee } from '../rights';
import {
  expectedFromAuthentication,
  type Caller,
  type Command,
  describeCaller,
  environmentOfCaller,
  expectOutcome,
  judgeAfterAuthentication,
} from './command';

/**
 * The fields of a transaction for a reader, except for the times. A bank never sees the user, the
 * name or the key (bank.md), nor the evidence of another bank's corrected completion.
 */
export function viewFor(model: Model, reader: Environment, transaction: Transaction) {
  const { id, environment, completion, project, cents, user, key } = transaction;
  const sees = !transaction.isCorrected || [environment, completion?.by].includes(reader);
  const evidence = sees ? completion : undefined;
  return {
    transaction_id: id,
    company: companyOf[environment],
    completed_by_you: completion?.by === reader,
    status: completion ? 'completed' : 'pending',
    project_id: project,
    amount: (cents / 100).toFixed(2),
    currency: 'USD',
    returned_amount: (returnedCents(transaction) / 100).toFixed(2),
    net_amount: (netCents(transaction) / 100).toFixed(2),
    is_corrected: transaction.isCorrected,
    bank_reference: evidence?.reference ?? null,
    value_date: evidence?.valueDate ?? null,
    ...(environment === reader
      ? {
          user_hash: user,
          name: model.names.get(`${environment} ${user}`) ?? null,
          idempotency_key: key ?? null,
        }
      : {}),
  };
}

/**
 * A transaction as received, with its company's role and without its times; undefined when they
 * contradict its status.
 */
export function withoutTimes(shown: unknown): Record<string, unknown> | undefined {
  const {
    created_at: createdAt,
    completed_at: completedAt,
    corrected_at: correctedAt,
    company_id: companyId,
    company_name: companyName,
    ...rest
  } = shown as Record<string, string | null>;
  const isCompleted = rest['status'] === 'completed';
  if (isCompleted ? !completedAt || completedAt < createdAt! : completedAt !== null) return undefined;
  if (correctedAt === undefined || (correctedAt !== null && !(completedAt && completedAt <= correctedAt)))
    return undefined;
  // The companies of a sequence have names like "Owner 1".
  return typeof companyId === 'string'
    ? { ...rest, is_corrected: correctedAt !== null, company: companyName?.split(' ')[0]?.toLowerCase() }
    : undefined;
}

/** Reads one contribution. */
export function read(caller: Caller, id: string): Command {
  return {
    title: `${describeCaller(caller)} read ${id}`,
    send: (service) => service.call({ method: 'GET', path: `contributions/${id}`, pair: caller.pair }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:read'),
        response,
        () => {
          const transaction = model.transactions.get(id);
          const reader = environmentOfCaller(caller);
          if (!transaction || !maySee(model, reader, transaction))
            return expectOutcome(response, '404 transaction_not_found');
          const expected = viewFor(model, reader, transaction);
          const isRight =
            response.outcome === '200' && isDeepStrictEqual(withoutTimes(response.body), expected);
          return isRight ? undefined : `200 ${JSON.stringify(expected)}`;
        },
      ),
  };
}
