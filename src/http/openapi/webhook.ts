import type { z } from 'zod';

import type { JsonObject } from './json';
import type { Schemas } from './schemas';

/** A request that the service sends to the receivers of partners. */
export interface WebhookContract {
  /** The type of the event. */
  name: string;
  summary: string;
  description: string;
  /** The headers, each with a description and an example. */
  headers: Readonly<Record<string, { description: string; example: string; isOptional?: true }>>;
  body: z.ZodType;
  example: unknown;
}

/** A webhook in OpenAPI. Its receiver authenticates the service by the signature. */
export function webhookOf(contract: WebhookContract, schemas: Schemas): JsonObject {
  const { name, summary, description, headers, body, example } = contract;
  return {
    post: {
      operationId: `webhook.${name}`,
      summary,
      description,
      tags: ['Webhooks'],
      security: [],
      parameters: Object.entries(headers).map(([header, about]) => ({
        in: 'header',
        name: header,
        required: about.isOptional !== true,
        description: about.description,
        schema: { type: 'string' },
        example: about.example,
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.of(body, 'output'), example } },
      },
      responses: {
        '2XX': { description: 'The receiver has stored the event.' },
        410: { description: 'The receiver wants no more events. The service disables the endpoint.' },
        default: { description: 'A failure. The service sends the event again later.' },
      },
    },
  };
}
