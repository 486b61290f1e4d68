import { createRequire } from 'node:module';

import type { RequestHandler } from 'express';

import type { Core, Feature } from '../../feature';
import type { Config } from '../../read-settings';
import type * as OpenApiModule from '../../http/openapi';
import type * as DocumentationModule from './documentation';
import type * as RouterModule from './documentation.router';
import type * as LimitsModule from './published-limits';

interface Pages {
  render: () => void;
  handler: RequestHandler;
}

// Loads modules when they are needed: as TypeScript if this file runs as TypeScript.
const load = createRequire(__filename);

/** Loads what only a process that serves pages needs. */
function createPages(config: Config, core: Core): Pages {
  const { createDocumentation } = load('./documentation') as typeof DocumentationModule;
  const { documentationHandler } = load('./documentation.router') as typeof RouterModule;
  const { publishedLimits } = load('./published-limits') as typeof LimitsModule;
  const { createOpenApiDocument } = load('../../http/openapi') as typeof OpenApiModule;
  const { publicBaseUrl, site, demo, errors } = core;
  const contracts = core.listContracts();
  const documentation = createDocumentation({
    ...{ publicBaseUrl, site, demo, errors, contracts },
    openApiDocument: createOpenApiDocument(contracts, core.listMessages(), errors, site.version),
    limits: publishedLimits(config),
  });
  return { render: documentation.render, handler: documentationHandler(documentation, site) };
}

/** The pages under /docs, for partners and their programs. */
export const documentationFeature: Feature = {
  name: 'documentation',
  create: ({ config }) => ({
    serve(core) {
      let created: Pages | undefined;
      const pages = (): Pages => (created ??= createPages(config, core));
      return {
        pages(req, res, next) {
          pages().handler(req, res, next);
        },
        warm() {
          pages().render();
        },
      };
    },
  }),
};
