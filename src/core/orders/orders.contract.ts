import { endpoint } from '../../http/contract';
import type { AmountLimits } from '../contributions/amount.field';
import { createContributionContract } from '../contributions/create-contribution.contract';

/** One operation with two paths (specification 4.3). It responds as `createContribution` does. */
export function ordersContract(limits: AmountLimits) {
  const create = createContributionContract(limits);
  const order = {
    method: 'post',
    description:
      'Create a contribution with JSON or a form. `/orders/make` and `/create/payment` are the same operation. Send an `Idempotency-Key` so that you can retry safely.',
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
      summary: 'Create an order (payment), alternative path',
    }),
  };
}
