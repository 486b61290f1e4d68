import { parse as parseQuery } from 'node:querystring';

import express, { type Express, Router } from 'express';

import { type Contracts, listContracts } from './contracts';
import { allowedMethods } from './http/middleware/allowed-methods';
import { commonHeaders } from './http/response/response';
import type { EndpointDependencies } from './http/endpoint';
import { errorHandler, pathNotFound } from './http/errors/error-handler';
import type { LogSampling } from './http/request/log-sampling';
import { totalsRoutes } from './modules/contribution-totals/totals.router';
import type { TotalsStore } from './modules/contribution-totals/totals.store';
import { contributionsRoutes } from './modules/contributions/contributions.router';
import { demoRouter } from './startup/demo/demo.router';
import type { Documentation } from './documentation/documentation';
import { documentationRouter, pageNotFound } from './documentation/documentation.router';
import { eventsRoutes } from './modules/events/events.router';
import type { EventsService } from './modules/events/events.service';
import { healthRouter } from './modules/health/health.router';
import type { HealthService } from './modules/health/health.service';
import { linksRoutes } from './modules/links/links.router';
import type { LinksStore } from './modules/links/links.store';
import { type MeDependencies, meRoutes } from './modules/me/me.router';
import { ordersRoutes } from './modules/orders/orders.router';
import { projectsRoutes } from './modules/projects/projects.router';
import type { ProjectsService } from './modules/projects/projects.service';
import type { ProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { projectsStoriesRoutes } from './modules/projects-stories/projects-stories.router';
import { returnsRoutes } from './modules/returns/returns.router';
import type { ReturnsService } from './modules/returns/returns.service';
import { faultsRoutes } from './modules/sandbox/faults.router';
import type { FaultsService } from './modules/sandbox/faults.service';
import { requestsRoutes } from './modules/sandbox/requests.router';
import type { RequestsStore } from './modules/sandbox/requests.store';
import type { ResetsService } from './modules/sandbox/resets.service';
import { sandboxRoutes } from './modules/sandbox/sandbox.router';
import type { SandboxService } from './modules/sandbox/sandbox.service';
import { type StatementServices, statementsRoutes } from './modules/statements/statements.router';
import { storiesRoutes } from './modules/stories/stories.router';
import type { StoriesService } from './modules/stories/stories.service';
import { webhookReplaysRoutes } from './modules/webhooks/webhook-replays.router';
import type { WebhookReplaysService } from './modules/webhooks/webhook-replays.service';
import { webhookRequestsRoutes } from './modules/webhooks/webhook-requests.router';
import type { WebhookRequestsService } from './modules/webhooks/webhook-requests.service';
import { webhookEndpointsRoutes } from './modules/webhooks/webhook-endpoints.router';
import type { WebhookEndpointsService } from './modules/webhooks/webhook-endpoints.service';
import type { CompletionBatches } from './modules/contributions/completion-batches.service';
import type { ContributionsService } from './modules/contributions/contributions.service';
import type { Logger } from './shared/logger';

export interface AppDependencies {
  logger: Logger;
  /** Limits the log lines of requests without a verified key pair. */
  logSampling: LogSampling;
  publicBaseUrl: string;
  contracts: Contracts;
  http: EndpointDependencies;
  /** The running version, for liveness and the page that browsers get at unknown paths. */
  version: string;
  /** For the title of the page at unknown paths. */
  productName: string;
  loadDocumentation: () => Promise<Documentation>;
  servesDemoPictures: boolean;
  health: HealthService;
  projects: ProjectsService;
  projectsStories: ProjectsStoriesReadModel;
  stories: StoriesService;
  contributions: ContributionsService;
  completionBatches: CompletionBatches;
  returns: ReturnsService;
  totals: TotalsStore;
  events: EventsService;
  webhookEndpoints: WebhookEndpointsService;
  webhookRequests: WebhookRequestsService;
  webhookReplays: WebhookReplaysService;
  links: LinksStore;
  callers: MeDependencies['callers'];
  rateOf: MeDependencies['rateOf'];
  statements: StatementServices;
  sandbox: SandboxService;
  resets: ResetsService;
  faults: FaultsService;
  sandboxRequests: Pick<RequestsStore, 'list'>;
}

/** The Express application. Admitted requests pass the routers from top to bottom. */
export function createApp(deps: AppDependencies): Express {
  const { logger, publicBaseUrl, contracts, http, contributions } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Read all parameters: the default ignores those after the first 1,000. The header limit bounds
  // them.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.enable('case sensitive routing');

  app.use('/health', healthRouter(deps.health, deps.version));

  app.use(allowedMethods(listContracts(contracts)));
  // One router for all modules, because each request passes through every router.
  const api = Router({ caseSensitive: true });
  projectsRoutes(api, http, deps.projects, publicBaseUrl);
  projectsStoriesRoutes(api, http, deps.projectsStories, publicBaseUrl);
  storiesRoutes(api, http, deps.stories, publicBaseUrl);
  ordersRoutes(api, http, contracts.orders, contributions, publicBaseUrl);
  totalsRoutes(api, http, deps.totals);
  contributionsRoutes(
    api,
    http,
    contracts.contributions,
    contributions,
    deps.completionBatches,
    publicBaseUrl,
  );
  returnsRoutes(api, http, deps.returns);
  eventsRoutes(api, http, deps.events, deps.health.isShuttingDown);
  webhookEndpointsRoutes(api, http, publicBaseUrl, deps.webhookEndpoints);
  webhookRequestsRoutes(api, http, deps.webhookRequests);
  webhookReplaysRoutes(api, http, publicBaseUrl, deps.webhookReplays);
  linksRoutes(api, http, deps.links);
  meRoutes(api, http, deps);
  statementsRoutes(api, http, deps.statements);
  sandboxRoutes(api, http, deps.sandbox, deps.resets);
  faultsRoutes(api, http, contracts.faults, deps.faults);
  requestsRoutes(api, http, deps.sandboxRequests);
  app.use(api);

  app.use(commonHeaders);
  app.use(documentationRouter(deps.loadDocumentation));
  if (deps.servesDemoPictures) app.use(demoRouter());

  app.use(pageNotFound({ version: deps.version, productName: deps.productName }));
  app.use(pathNotFound);
  app.use(errorHandler(publicBaseUrl, logger, deps.logSampling));
  return app;
}
