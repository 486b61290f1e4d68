import type { Routes } from '../../http/routes';
import { createContributionHandler } from './create-contribution.handler';
import type { CompletionBatches } from './completion-batches.service';
import type { ContributionsService } from './contributions.service';
import { replayHeader } from './replay-header';
import type { contributionsContract } from './contributions.contract';
import { digestOfFilters, orderOf, writePageCursor } from './contributions.cursor';
import { presentCompleted, presentContribution } from './contributions.presenter';

/** Adds the operations of this module to the API. */
export function contributionsRoutes(
  routes: Routes,
  contract: ReturnType<typeof contributionsContract>,
  contributions: ContributionsService,
  batches: CompletionBatches,
  publicBaseUrl: string,
): void {
  routes.bind(contract.create).to(createContributionHandler(contributions, publicBaseUrl));

  routes.bind(contract.complete).to(async ({ principal, params, body }) => {
    const { transactionId, isReplay, undone } = await contributions.complete(
      principal,
      params.transaction_id,
      {
        amountCents: body.amount,
        bankReference: body.bank_reference,
        valueDate: body.value_date,
      },
    );
    return { status: 200, headers: replayHeader(isReplay), body: presentCompleted(transactionId, undone) };
  });

  routes
    .bind(contract.completeMany)
    .to(({ principal, query, upload }) =>
      Promise.resolve({ status: 200, lines: batches.complete(principal, upload, query.dry_run === true) }),
    );

  routes.bind(contract.get).to(async ({ principal, params }) => {
    const transaction = await contributions.get(principal, params.transaction_id);
    return { status: 200, body: presentContribution(transaction) };
  });

  routes.bind(contract.list).to(async ({ principal, query, requestId, stopIfLeft }) => {
    const filter = {
      status: query.status,
      createdFrom: query.created_from,
      createdTo: query.created_to,
      completedFrom: query.completed_from,
      completedTo: query.completed_to,
      projectId: query.project_id,
      companyId: query.company_id,
      bankReference: query.bank_reference,
      valueDate: query.value_date,
      userHash: query.user_hash,
      idempotencyKey: query.idempotency_key,
    };
    const page = await contributions.list(principal, filter, {
      order: orderOf(query),
      limit: query.limit,
      after: query.cursor?.place,
      requestId,
      stopIfLeft,
    });
    stopIfLeft();
    return {
      status: 200,
      body: {
        data: page.contributions.map(presentContribution),
        has_more: page.next !== undefined,
        next_cursor: page.next
          ? writePageCursor({ filters: digestOfFilters(query), place: page.next })
          : null,
        complete_until: page.completeUntil.toISOString(),
      },
    };
  });
}
