import type { Routes } from '../../http/routes';
import { createContributionHandler } from '../contributions/create-contribution.handler';
import type { ContributionsService } from '../contributions/contributions.service';
import type { ordersContract } from './orders.contract';

/** Adds the operations of this module to the API. */
export function ordersRoutes(
  routes: Routes,
  contract: ReturnType<typeof ordersContract>,
  contributions: ContributionsService,
  publicBaseUrl: string,
): void {
  const create = createContributionHandler(contributions, publicBaseUrl);
  routes.bind(contract.makeOrder).to(create);
  routes.bind(contract.createPayment).to(create);
}
