import { parse as parseQuery } from 'node:querystring';

import express, { type Express, type RequestHandler, Router } from 'express';

import { type Contracts, listContracts } from './contracts';
import { allowedMethods } from './http/allowed-methods';
import { commonHeaders } from './http/answer';
import type { EndpointDependencies } from './http/endpoint';
import { errorHandler, pathNotFound } from './http/error-handler';
import { wellFormed } from './http/well-formed';
import { contributionsRoutes } from './modules/contributions/contributions.router';
import { demoRouter } from './modules/demo/demo.router';
import type { Documentation } from './modules/documentation/documentation';
import { documentationRouter } from './modules/documentation/documentation.router';
import { healthRouter } from './modules/health/health.router';
import type { HealthService } from './modules/health/health.service';
import { ordersRoutes } from './modules/orders/orders.router';
import { projectsRoutes } from './modules/projects/projects.router';
import type { ProjectsService } from './modules/projects/projects.service';
import type { ProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { projectsStoriesRoutes } from './modules/projects-stories/projects-stories.router';
import { storiesRoutes } from './modules/stories/stories.router';
import type { StoriesService } from './modules/stories/stories.service';
import type { TransactionsService } from './modules/transactions/transactions.service';
import type { Logger } from './shared/logger';

export interface AppDependencies {
  logger: Logger;
  publicBaseUrl: string;
  contracts: Contracts;
  http: EndpointDependencies;
  /** Refuses requests without TLS; absent outside production. */
  httpsOnly: RequestHandler | undefined;
  documentation: Documentation;
  servesDemoPictures: boolean;
  health: HealthService;
  projects: ProjectsService;
  projectsStories: ProjectsStoriesReadModel;
  stories: StoriesService;
  transactions: TransactionsService;
}

/** The way of a request that was let in, from top to bottom. */
export function createApp(deps: AppDependencies): Express {
  const { logger, publicBaseUrl, contracts, http, transactions } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Every parameter counts, however many stand before it; the size of the headers is bounded.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.enable('case sensitive routing');

  app.use(wellFormed);
  app.use('/health', healthRouter(deps.health));
  if (deps.httpsOnly) app.use(deps.httpsOnly);

  app.use(allowedMethods(listContracts(contracts)));
  // One router for all modules: each further one would be gone through by every request.
  const api = Router({ caseSensitive: true });
  projectsRoutes(api, http, deps.projects, publicBaseUrl);
  projectsStoriesRoutes(api, http, deps.projectsStories, publicBaseUrl);
  storiesRoutes(api, http, deps.stories, publicBaseUrl);
  ordersRoutes(api, http, contracts.orders, transactions, publicBaseUrl);
  contributionsRoutes(api, http, contracts.contributions, transactions, publicBaseUrl);
  app.use(api);

  app.use(commonHeaders);
  app.use(documentationRouter(deps.documentation));
  if (deps.servesDemoPictures) app.use(demoRouter());

  app.use(pathNotFound);
  app.use(errorHandler(publicBaseUrl, logger));
  return app;
}
