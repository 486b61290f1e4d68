import type { Feature } from '../feature';
import { createOpenApiDocument, errorCodesOf } from '../http/openapi';
import { createDocumentation, type Documentation } from './documentation';
import { documentationRouters } from './documentation.router';
import { publishedLimits } from './published-limits';

/** The pages under /docs, for partners and their programs. */
export const documentationFeature: Feature = {
  name: 'documentation',
  create: ({ config }) => ({
    serve({ publicBaseUrl, site, demo, listContracts, listMessages }) {
      let created: Documentation | undefined;
      const create = (): Documentation => {
        const contracts = listContracts();
        return createDocumentation({
          ...{ publicBaseUrl, site, contracts, demo },
          openApiDocument: createOpenApiDocument(contracts, listMessages(), site.version),
          errorsOf: errorCodesOf,
          limits: publishedLimits(config),
        });
      };
      const load = (): Documentation => (created ??= create());
      return {
        pages: documentationRouters(load, site),
        warm() {
          load().render();
        },
      };
    },
  }),
};
