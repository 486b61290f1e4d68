import type { ErrorCode } from '../../shared/errors';
import type { ErrorCatalog } from '../errors/error-catalog';
import { everyResponseHeaders } from './headers';
import type { JsonObject } from './json';
import { requestIdParameter } from './parameters';
import { problemResponses } from './responses';

/** Errors that occur before the path is known. */
const parserErrors: readonly ErrorCode[] = ['malformed_http', 'request_timeout', 'headers_too_large'];

function health(
  operationId: string,
  summary: string,
  description: string,
  status: string,
  errors: readonly ErrorCode[],
  catalog: ErrorCatalog,
  moreProperties: JsonObject = {},
): JsonObject {
  return {
    get: {
      operationId,
      summary,
      description: `${description} Requires neither credentials nor TLS.`,
      tags: ['Health'],
      security: [],
      parameters: [requestIdParameter],
      responses: {
        200: {
          description: 'The check succeeded.',
          headers: everyResponseHeaders(),
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['status'],
                properties: { status: { type: 'string', const: status }, ...moreProperties },
              },
              example: { status },
            },
          },
        },
        ...problemResponses([...parserErrors, ...errors], catalog, { isAuthenticated: false }),
      },
    },
  };
}

/** The two paths of `core/health`. They take no input and have no contract. */
export function healthPaths(catalog: ErrorCatalog): JsonObject {
  return {
    '/health/live': health(
      'getLiveness',
      'Check liveness',
      'The process responds. Restart the process only if this check fails.',
      'live',
      [],
      catalog,
      { version: { type: 'string', description: 'The version of the running program' } },
    ),
    '/health/ready': health(
      'getReadiness',
      'Check readiness',
      'The process accepts requests: it is not shutting down, and its database is reachable, has the expected schema, has room and confirms commits.',
      'ready',
      ['internal_error', 'database_unavailable', 'database_full', 'shutting_down'],
      catalog,
      {
        reachable_tenants_share: {
          type: 'number',
          minimum: 0,
          maximum: 1,
          description:
            'Share of the environments whose server responds. Present only if the data is distributed over several servers.',
        },
      },
    ),
  };
}
