import type { Answer, Input } from '../../http/endpoint';
import { replayHeader } from '../../http/idempotency';
import type { NewContributionEndpoint } from './new-contribution.contract';
import type { TransactionsService } from './transactions.service';

/** Creates a contribution, whichever of the three paths the request took. */
export function newContributionHandler(
  transactions: Pick<TransactionsService, 'create'>,
  publicBaseUrl: string,
) {
  return async ({
    principal,
    headers,
    body,
    about,
  }: Input<NewContributionEndpoint>): Promise<Answer<NewContributionEndpoint>> => {
    const { transactionId, isReplay } = await transactions.create(principal, {
      projectId: body.project_id,
      amountCents: body.amount,
      userHash: body.user_hash,
      name: body.name,
      idempotencyKey: headers['idempotency-key'],
    });
    about(transactionId);
    return {
      status: 201,
      headers: {
        Location: `${publicBaseUrl}/company/integration/contributions/${transactionId}`,
        ...replayHeader(isReplay),
      },
      // The first answer again, even if the transaction was completed since.
      body: { transaction_id: transactionId, status: 'pending' },
    };
  };
}
