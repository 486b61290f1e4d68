import type { BodyMedia } from '../request/body';
import type { EndpointContract } from '../endpoint';
import type { JsonObject } from './json';
import { parametersOf } from './parameters';
import { responsesOf } from './responses';
import { isRequired, type Schemas, shapeOf } from './schemas';

const mediaTypes: Record<BodyMedia, string> = { json: 'application/json', multipart: 'multipart/form-data' };

/** An operation in OpenAPI, with its origin and required scope as extensions. */
export function operationOf(contract: EndpointContract, schemas: Schemas): JsonObject {
  const { operationId, summary, description, origin, scope, body } = contract;
  return {
    operationId,
    summary,
    description: `${description}\n\nOrigin: ${origin}. Scope: \`${scope}\`.`,
    tags: [origin === 'addition' ? 'Additions' : 'Specification'],
    'x-origin': origin,
    'x-scope': scope,
    parameters: parametersOf(contract, schemas),
    ...(body && { requestBody: requestBody(body, schemas) }),
    responses: responsesOf(contract, schemas),
  };
}

function requestBody(body: NonNullable<EndpointContract['body']>, schemas: Schemas): JsonObject {
  const fields = shapeOf(body.schema);
  const schema = {
    type: 'object',
    description: 'Unknown members are ignored.',
    required: fields.filter(([, field]) => isRequired(field)).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemas.of(field, 'input')])),
  };
  const content = { schema, ...(body.example === undefined ? {} : { example: body.example }) };
  return {
    required: true,
    content: Object.fromEntries(body.accepts.map((media) => [mediaTypes[media], content])),
  };
}
