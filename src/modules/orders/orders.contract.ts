import { endpoint } from '../../http/endpoint';
import type { AmountLimits } from '../../http/fields';
import { newContributionContract } from '../transactions/new-contribution.contract';

/** One operation under two paths (specification 4.3); it answers as the creation of a contribution does. */
export function ordersContract(limits: AmountLimits) {
  const create = newContributionContract(limits);
  const order = {
    method: 'post',
    description:
      'The same as creating a contribution, for callers that send forms. Both paths of this operation are equal. Send an Idempotency-Key: then the request may be repeated until an answer arrives.',
    origin: 'specification 4.3',
    scope: 'contributions:create',
    headers: create.headers,
    body: { schema: create.body, accepts: ['json', 'multipart'], example: create.bodyExample },
    responses: create.responses,
    errors: create.errors,
  } as const;
  return {
    makeOrder: endpoint({
      ...order,
      operationId: 'makeOrder',
      path: '/company/integration/orders/make',
      summary: 'Create an order (payment)',
    }),
    createPayment: endpoint({
      ...order,
      operationId: 'createPayment',
      path: '/company/integration/create/payment',
      summary: 'Create an order (payment), second path',
    }),
  };
}
