import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { createContributionHandler } from '../contributions/create-contribution.handler';
import type { ContributionsService } from '../contributions/contributions.service';
import type { ordersContract } from './orders.contract';

/** Adds the operations of this module to the router of the API. */
export function ordersRoutes(
  router: Router,
  http: EndpointDependencies,
  contract: ReturnType<typeof ordersContract>,
  contributions: ContributionsService,
  publicBaseUrl: string,
): void {
  const create = createContributionHandler(contributions, publicBaseUrl);
  bind(router, http, contract.makeOrder).to(create);
  bind(router, http, contract.createPayment).to(create);
}
