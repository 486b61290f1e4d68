import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { newContributionHandler } from '../transactions/new-contribution.handler';
import type { TransactionsService } from '../transactions/transactions.service';
import type { ordersContract } from './orders.contract';

/** Adds the operations of this module to the router of the API. */
export function ordersRoutes(
  router: Router,
  http: EndpointDependencies,
  contract: ReturnType<typeof ordersContract>,
  transactions: TransactionsService,
  publicBaseUrl: string,
): void {
  const create = newContributionHandler(transactions, publicBaseUrl);
  bind(router, http, contract.makeOrder).to(create);
  bind(router, http, contract.createPayment).to(create);
}
