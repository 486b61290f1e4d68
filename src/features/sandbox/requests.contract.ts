import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { limit } from '../../http/request/fields';

const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const request = z
  .strictObject({
    received_at: z.iso.datetime(),
    request_id: z.string(),
    method: z.string(),
    path: z.string().nullable().meta({
      description: 'Without the query. A malformed id is not shown. Null if the path is unknown',
    }),
    operation: z
      .string()
      .nullable()
      .meta({ description: 'The `operationId` in the OpenAPI document, or null' }),
    status: z.int().nullable().meta({ description: 'Null if the client closed the connection first' }),
    duration_ms: z.number(),
    api_key: z.string().meta({ description: 'The API-Key of the pair that sent the request' }),
    idempotency_key: z.string().nullable(),
    idempotent_replayed: z.boolean(),
    transaction_id: z.string().nullable().meta({
      description: 'The contribution that the request created, completed, read or settled, or null',
    }),
    fault: z
      .string()
      .nullable()
      .meta({ description: 'The kind of the fault that made this request fail, or null' }),
    error_code: z.string().nullable(),
    error_detail: z.string().nullable(),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().optional(),
          parameter: z.string().optional(),
          header: z.string().optional(),
          code: z.string(),
          detail: z.string(),
        }),
      )
      .meta({ description: 'The `errors` of the response, at most 20' }),
    query: values.meta({ description: 'The known parameters of the query' }),
    body: values.nullable().meta({
      description: 'The known members of the body, or null if the body is missing or cannot be parsed',
    }),
  })
  .meta({ id: 'SandboxRequest' });

export const requestsContract = {
  list: endpoint({
    operationId: 'listSandboxRequests',
    method: 'get',
    path: '/company/integration/sandbox/requests',
    summary: 'List recent requests of the test environment',
    description:
      'The last 1,000 requests of your test environment within 24 hours, newest first, from all its key pairs. A request appears about a second after its response. `[removed]` replaces personal and unexpected values. The log is for debugging: under load, the service leaves requests out rather than slowing down. Requests without valid credentials, and reads of this list, are not logged. Available in the test environment only.',
    origin: 'addition',
    scope: 'sandbox',
    onlyIn: 'test',
    query: z.object({ limit: limit(100) }),
    responses: {
      200: {
        description: 'The requests, newest first.',
        body: z.strictObject({
          data: z.array(request),
          has_more: z.boolean().meta({ description: 'Whether there are older ones than `limit` shows' }),
        }),
        example: {
          data: [
            {
              received_at: '2026-11-20T09:30:00.000Z',
              request_id: '1f0e8a52-6f0f-4d0c-9a3e-0d5a7a1b2c3d',
              method: 'PUT',
              path: '/company/integration/contributions/create',
              operation: 'createContribution',
              status: 201,
              duration_ms: 3.141,
              api_key: 'cpk_test_…',
              idempotency_key: 'order-1042',
              idempotent_replayed: false,
              transaction_id: 'K7Q20CR5M3V9XHG',
              fault: null,
              error_code: null,
              error_detail: null,
              errors: [],
              query: {},
              body: { user_hash: '[removed]', project_id: 1, amount: '25.00' },
            },
          ],
          has_more: false,
        },
      },
    },
  }),
};
