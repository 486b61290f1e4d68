import type { ErrorCode } from '../../shared/errors';
import { everyAnswer } from './headers';
import type { JsonObject } from './json';
import { requestIdParameter } from './parameters';
import { problemResponses } from './responses';

/** What can go wrong before anybody looks at the path. */
const parserErrors: readonly ErrorCode[] = ['malformed_http', 'request_timeout', 'headers_too_large'];

function health(
  operationId: string,
  summary: string,
  description: string,
  status: string,
  errors: readonly ErrorCode[],
): JsonObject {
  return {
    get: {
      operationId,
      summary,
      description: `${description} Needs no credentials, and no TLS.\n\nOrigin: addition.`,
      tags: ['Additions'],
      'x-origin': 'addition',
      security: [],
      parameters: [requestIdParameter],
      responses: {
        200: {
          description: 'Yes.',
          headers: everyAnswer(),
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['status'],
                properties: { status: { type: 'string', const: status } },
              },
              example: { status },
            },
          },
        },
        ...problemResponses([...parserErrors, ...errors], { isAuthenticated: false }),
      },
    },
  };
}

/** The two paths of `modules/health`. They have no contract: nothing is sent to them. */
export function healthPaths(): JsonObject {
  return {
    '/health/live': health(
      'getLiveness',
      'Does this process answer?',
      'Restarting it would not help when it does.',
      'live',
      [],
    ),
    '/health/ready': health(
      'getReadiness',
      'May requests be sent to this process?',
      'It reaches a database whose schema it knows, and is not shutting down.',
      'ready',
      ['internal_error', 'database_unavailable', 'shutting_down'],
    ),
  };
}
