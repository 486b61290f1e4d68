import { readSettings } from '../../src/read-settings';
import { listContracts, listMessages } from '../../src/contracts';
import { createDocumentation } from '../../src/features/documentation/documentation';
import { publishedLimits } from '../../src/features/documentation/published-limits';
import { createOpenApiDocument } from '../../src/http/openapi';
import { errorCatalog } from './errors';

export const contracts = listContracts({ minimumCents: 1n, maximumCents: 765_400n });

export const openApiDocument = createOpenApiDocument(contracts, listMessages(), errorCatalog, '1.2.3');

/** The pages of the documentation by path, without a demo. */
export const renderDocumentation = () =>
  createDocumentation({
    publicBaseUrl: 'https://contributions.example',
    site: { version: '1.2.3', productName: 'Contribution Service' },
    contracts,
    openApiDocument,
    errors: errorCatalog,
    limits: publishedLimits(readSettings({ DATABASE_URL: 'postgres://database/service' })),
    demo: undefined,
  }).responses;
