import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { replayHeader } from '../../http/idempotency';
import { newContributionHandler } from '../transactions/new-contribution.handler';
import type { TransactionsService } from '../transactions/transactions.service';
import type { contributionsContract } from './contributions.contract';
import { orderOf, writePageCursor } from './contributions.cursor';
import { presentCompleted, presentContribution } from './contributions.presenter';

/** Adds the operations of this module to the router of the API. */
export function contributionsRoutes(
  router: Router,
  http: EndpointDependencies,
  contract: ReturnType<typeof contributionsContract>,
  transactions: TransactionsService,
  publicBaseUrl: string,
): void {
  // Bound before {transaction_id}, which would swallow it.
  bind(router, http, contract.create).to(newContributionHandler(transactions, publicBaseUrl));

  bind(router, http, contract.complete).to(async ({ principal, params, body, about }) => {
    const { transactionId, isReplay } = await transactions.complete(principal, params.transaction_id, {
      amountCents: body.amount,
      bankReference: body.bank_reference,
      valueDate: body.value_date,
    });
    about(transactionId);
    return { status: 200, headers: replayHeader(isReplay), body: presentCompleted(transactionId) };
  });

  bind(router, http, contract.get).to(async ({ principal, params, about }) => {
    const transaction = await transactions.get(principal, params.transaction_id);
    about(transaction.transactionId);
    return { status: 200, body: presentContribution(transaction) };
  });

  bind(router, http, contract.list).to(async ({ principal, query, requestId }) => {
    const filter = {
      status: query.status,
      createdFrom: query.created_from,
      createdTo: query.created_to,
      completedFrom: query.completed_from,
      completedTo: query.completed_to,
      projectId: query.project_id,
      userHash: query.user_hash,
      idempotencyKey: query.idempotency_key,
    };
    const order = orderOf(query);
    const page = await transactions.list(principal, filter, {
      order,
      limit: query.limit,
      after: query.cursor?.key,
      requestId,
    });
    return {
      status: 200,
      body: {
        data: page.transactions.map(presentContribution),
        has_more: page.next !== undefined,
        next_cursor: page.next ? writePageCursor({ order, key: page.next }) : null,
        complete_until: page.completeUntil.toISOString(),
      },
    };
  });
}
