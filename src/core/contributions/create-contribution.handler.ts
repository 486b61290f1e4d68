import type { EndpointResponse, Input } from '../../http/endpoint';
import type { NewContributionEndpoint } from './create-contribution.contract';
import type { ContributionsService } from './contributions.service';
import { replayHeader } from './replay-header';

/** The handler of all three paths that create a contribution. */
export function createContributionHandler(
  contributions: Pick<ContributionsService, 'create'>,
  publicBaseUrl: string,
) {
  return async ({
    principal,
    headers,
    body,
    addToLog,
  }: Input<NewContributionEndpoint>): Promise<EndpointResponse<NewContributionEndpoint>> => {
    const { transactionId, isReplay } = await contributions.create(principal, {
      projectId: body.project_id,
      amountCents: body.amount,
      userHash: body.user_hash,
      name: body.name,
      idempotencyKey: headers['idempotency-key'],
    });
    addToLog({ transaction_id: transactionId });
    return {
      status: 201,
      headers: {
        Location: `${publicBaseUrl}/company/integration/contributions/${transactionId}`,
        ...replayHeader(isReplay),
      },
      // A replay repeats the first response, even if the contribution was completed since.
      body: { transaction_id: transactionId, status: 'pending' },
    };
  };
}
