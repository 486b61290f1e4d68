import { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { newContributionHandler } from '../transactions/new-contribution.handler';
import type { TransactionsService } from '../transactions/transactions.service';
import type { ordersContract } from './orders.contract';

export function ordersRouter(
  http: EndpointDependencies,
  contract: ReturnType<typeof ordersContract>,
  transactions: TransactionsService,
  publicBaseUrl: string,
): Router {
  const router = Router({ caseSensitive: true });
  const create = newContributionHandler(transactions, publicBaseUrl);
  bind(router, http, contract.makeOrder).to(create);
  bind(router, http, contract.createPayment).to(create);
  return router;
}
