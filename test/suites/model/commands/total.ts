import { isDeepStrictEqual } from 'node:util';

import { recentDays } from '../../../support/totals';
import { type Model, netCents, returnedCents, type Transaction } from '../model';
import type { Environment } from '../principals';
import { maySee } from '../rights';
import {
  type Caller,
  type Command,
  describeCaller,
  environmentOfCaller,
  expectedFromAuthentication,
  judgeAfterAuthentication,
} from './command';

type Basis = 'created' | 'completed';

/** The sums of what a reader may see. With the basis `completed`, only completed ones count. */
function expectedTotal(model: Model, reader: Environment, basis: Basis): Record<string, unknown> {
  const seen = [...model.transactions.values()].filter(
    (transaction) =>
      maySee(model, reader, transaction) && (basis === 'created' || transaction.completion !== undefined),
  );
  const completed = seen.filter(({ completion }) => completion !== undefined);
  const dollars = (of: readonly Transaction[], cents: (transaction: Transaction) => number): string =>
    (of.reduce((sum, transaction) => sum + cents(transaction), 0) / 100).toFixed(2);
  return {
    contributions: seen.length,
    amount: dollars(seen, ({ cents }) => cents),
    completed_contributions: completed.length,
    completed_amount: dollars(completed, ({ cents }) => cents),
    returned_amount: dollars(completed, returnedCents),
    corrected_amount: dollars(completed, ({ cents, isCorrected }) => (isCorrected ? cents : 0)),
    net_amount: dollars(completed, netCents),
  };
}

/** Adds up all contributions. Their events must have been counted. */
export function total(caller: Caller, basis: Basis): Command {
  return {
    title: `${describeCaller(caller)} total by ${basis}`,
    send: (service) =>
      service.call({
        method: 'GET',
        path: `contributions/summary?${recentDays()}&basis=${basis}`,
        pair: caller.pair,
      }),
    judge: (model, response) =>
      judgeAfterAuthentication(
        expectedFromAuthentication(model, caller, 'contributions:read'),
        response,
        () => {
          const expected = expectedTotal(model, environmentOfCaller(caller), basis);
          return response.outcome === '200' && isDeepStrictEqual(response.body['total'], expected)
            ? undefined
            : `200 with the total ${JSON.stringify(expected)}`;
        },
      ),
  };
}
