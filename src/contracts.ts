import type { EndpointContract } from './http/endpoint';
import type { AmountLimits } from './modules/contributions/contribution.fields';
import { totalsContract } from './modules/contribution-totals/totals.contract';
import { contributionsContract } from './modules/contributions/contributions.contract';
import { eventsContract } from './modules/events/events.contract';
import { linksContract } from './modules/links/links.contract';
import { meContract } from './modules/me/me.contract';
import { ordersContract } from './modules/orders/orders.contract';
import { projectsContract } from './modules/projects/projects.contract';
import { projectsStoriesContract } from './modules/projects-stories/projects-stories.contract';
import { returnsContract } from './modules/returns/returns.contract';
import { faultsContract } from './modules/sandbox/faults.contract';
import { requestsContract } from './modules/sandbox/requests.contract';
import { sandboxContract } from './modules/sandbox/sandbox.contract';
import { decisionsContract } from './modules/statements/decisions.contract';
import { reconciliationContract } from './modules/statements/reconciliation.contract';
import { listSettlements } from './modules/statements/settlement-lists.contract';
import { statementAccountsContract } from './modules/statements/statement-accounts.contract';
import { statementsContract } from './modules/statements/statements.contract';
import { webhookReplaysContract } from './modules/webhooks/webhook-replays.contract';
import { webhookRequestsContract } from './modules/webhooks/webhook-requests.contract';
import { webhookEndpointsContract } from './modules/webhooks/webhook-endpoints.contract';
import { storiesContract } from './modules/stories/stories.contract';

/** The contract of every operation, by module. */
export function createContracts(limits: AmountLimits) {
  const contracts = {
    projects: projectsContract,
    projectsStories: projectsStoriesContract,
    stories: storiesContract,
    orders: ordersContract(limits),
    contributions: contributionsContract(limits),
    totals: totalsContract,
    returns: returnsContract,
    events: eventsContract,
    webhookEndpoints: webhookEndpointsContract,
    webhookRequests: webhookRequestsContract,
    webhookReplays: webhookReplaysContract,
    links: linksContract,
    me: meContract,
    statements: statementsContract,
    settlements: { listSettlements },
    decisions: decisionsContract,
    statementAccounts: statementAccountsContract,
    reconciliation: reconciliationContract,
    sandbox: sandboxContract,
    sandboxRequests: requestsContract,
  };
  const operations = Object.values(contracts).flatMap((module) => Object.values<EndpointContract>(module));
  return { ...contracts, faults: faultsContract(operations) };
}

export type Contracts = ReturnType<typeof createContracts>;

/** The contracts of all operations in one list. */
export function listContracts(contracts: Contracts): EndpointContract[] {
  return Object.values(contracts).flatMap((module) => Object.values<EndpointContract>(module));
}

export { webhookMessagesContract } from './modules/webhooks/webhook-messages.contract';
