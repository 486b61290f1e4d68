import type { RequestHandler } from 'express';

import type { Core, Feature } from '../../feature';
import type { Config } from '../../config';

interface Pages {
  render: () => void;
  handler: RequestHandler;
}

/** Loads what only a process that serves pages needs. */
async function createPages(config: Config, core: Core): Promise<Pages> {
  const [{ createDocumentation }, { documentationHandler }, { createOpenApiDocument }, { publishedLimits }] =
    await Promise.all([
      import('./documentation.js'),
      import('./documentation.router.js'),
      import('../../http/openapi/index.js'),
      import('./published-limits.js'),
    ]);
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
      let created: Promise<Pages> | undefined;
      const load = (): Promise<Pages> =>
        (created ??= createPages(config, core).catch((error: unknown) => {
          // The next request tries again.
          created = undefined;
          throw error;
        }));
      return {
        async pages(req, res, next) {
          (await load()).handler(req, res, next);
        },
        async warm() {
          (await load()).render();
        },
      };
    },
  }),
};
