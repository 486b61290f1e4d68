import { parse as parseQuery } from 'node:querystring';

import express, { type Express, type RequestHandler } from 'express';

import type { ErrorCatalog } from './http/errors/error-catalog';
import { errorHandler, pathNotFound } from './http/errors/error-handler';
import { allowedMethods } from './http/middleware/allowed-methods';
import type { LogSampling } from './http/request/log-sampling';
import { commonHeaders } from './http/response/response';
import { healthRouter } from './core/health/health.router';
import type { HealthService } from './core/health/health.service';
import type { Logger } from './shared/logger';
import { demoRouter } from './startup/demo/demo.router';

export interface AppDependencies {
  logger: Logger;
  /** Limits the log lines of requests without a verified key pair. */
  logSampling: LogSampling;
  publicBaseUrl: string;
  /** The endpoint: serves a request whose operation is known. */
  serve: RequestHandler;
  /** Describes the error codes of all operations. */
  errors: ErrorCatalog;
  /** Handlers of other paths, for people and programs. */
  pages: readonly RequestHandler[];
  /** The running version, for liveness. */
  version: string;
  servesDemoPictures: boolean;
  health: HealthService;
}

/**
 * The Express application. Admitted requests pass its handlers from top to bottom. Almost all of
 * them end at the first.
 */
export function createApp(deps: AppDependencies): Express {
  const { logger, publicBaseUrl } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Read all parameters: the default ignores those after the first 1,000. The header limit bounds
  // them.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
  app.enable('case sensitive routing');

  app.use(deps.serve);
  app.use(allowedMethods);
  app.use('/health', healthRouter(deps.health, deps.version));

  app.use(commonHeaders);
  if (deps.servesDemoPictures) app.use(demoRouter());
  for (const page of deps.pages) app.use(page);

  app.use(pathNotFound);
  app.use(errorHandler(publicBaseUrl, deps.errors, logger, deps.logSampling));
  return app;
}
