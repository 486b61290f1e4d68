import type { EndpointContract } from '../contract';
import type { ErrorCatalog } from '../errors/error-catalog';
import { usedComponents } from './components';
import { healthPaths } from './health';
import { headerComponents } from './headers';
import { information, securitySchemes, tags } from './information';
import type { JsonObject } from './json';
import { operationOf } from './operation';
import { parameterComponents } from './parameters';
import { problemSchema } from './problem';
import { problemExamples } from './problem-examples';
import { problemResponse } from './responses';
import { createSchemas } from './schemas';
import { type WebhookContract, webhookOf } from './webhook';

/**
 * The OpenAPI 3.1 document of these operations, of the health paths, and of the requests that the
 * service sends.
 *
 * @param version of the service
 */
export function createOpenApiDocument(
  contracts: readonly EndpointContract[],
  webhookContracts: readonly WebhookContract[],
  catalog: ErrorCatalog,
  version: string,
): JsonObject {
  const schemas = createSchemas();
  const paths: Record<string, JsonObject> = {};
  for (const contract of contracts) {
    (paths[contract.path] ??= {})[contract.method] = operationOf(contract, schemas, catalog);
  }
  Object.assign(paths, healthPaths(catalog));
  const webhooks = Object.fromEntries(
    webhookContracts.map((contract) => [contract.name, webhookOf(contract, schemas)]),
  );
  // Responses to requests that match no operation.
  const responses = {
    PathNotFound: problemResponse(404, ['path_not_found'], catalog, { isAuthenticated: false }),
    MethodNotAllowed: problemResponse(405, ['method_not_allowed'], catalog, { isAuthenticated: false }),
  };
  const components = {
    schemas: { ...schemas.shared(), Problem: problemSchema(catalog) },
    headers: headerComponents(),
    parameters: parameterComponents,
    examples: problemExamples(catalog),
  };
  return {
    openapi: '3.1.0',
    info: information(version),
    servers: [{ url: '/', description: 'The address that serves this document' }],
    tags,
    security: [{ ApiKey: [], ApiSecret: [] }],
    paths,
    webhooks,
    components: { securitySchemes, responses, ...usedComponents(components, [paths, webhooks, responses]) },
  };
}
