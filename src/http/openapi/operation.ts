import type { z } from 'zod';

import { type BodyMedia, isOptional } from '../request/body';
import { type FileContract, type LinesContract, type UploadContract, uploadTypes } from '../request/upload';
import type { EndpointContract } from '../contract';
import type { ErrorCatalog } from '../errors/error-catalog';
import { operationGroupOf } from './operation-groups';
import type { JsonObject } from './json';
import { parametersOf } from './parameters';
import { responsesOf } from './responses';
import { isRequired, type Schemas, shapeOf } from './schemas';

const mediaTypesOfBodies: Record<BodyMedia, string> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
};

/** An operation in OpenAPI, with its required scope as an extension. */
export function operationOf(contract: EndpointContract, schemas: Schemas, catalog: ErrorCatalog): JsonObject {
  const { operationId, summary, description, scope, body, upload } = contract;
  return {
    operationId,
    summary,
    description: `${description}

${scope === null ? 'Every valid key pair may use it.' : `Scope: \`${scope}\`.`}`,
    tags: [operationGroupOf(contract).title],
    ...(scope !== null && { 'x-scope': scope }),
    parameters: parametersOf(contract, schemas),
    ...(body && { requestBody: requestBody(body, schemas) }),
    ...(upload && { requestBody: uploadBody(upload, schemas) }),
    responses: responsesOf(contract, schemas, catalog),
  };
}

function requestBody(body: NonNullable<EndpointContract['body']>, schemas: Schemas): JsonObject {
  const { issues = [] } = body.schema.safeParse({ 'an unknown member': 1 }).error ?? {};
  const isStrict = issues.some(({ code }) => code === 'unrecognized_keys');
  const unknown = `Unknown members are ${isStrict ? 'rejected' : 'ignored'}.`;
  const schema = objectOf(body.schema, unknown, schemas);
  const content = { schema, ...(body.example === undefined ? {} : { example: body.example }) };
  return {
    required: !isOptional(body),
    content: Object.fromEntries(body.accepts.map((media) => [mediaTypesOfBodies[media], content])),
  };
}

function uploadBody(upload: UploadContract, schemas: Schemas): JsonObject {
  return 'line' in upload ? linesBody(upload, schemas) : fileBody(upload);
}

function fileBody({ file: { mediaTypes, description, example } }: FileContract): JsonObject {
  const binary = { type: 'string', format: 'binary', description };
  const form = { type: 'object', required: ['file'], properties: { file: binary } };
  return {
    required: true,
    content: {
      ...Object.fromEntries(
        mediaTypes.map((type, at) => [type, { schema: binary, ...(at === 0 && { example }) }]),
      ),
      [mediaTypesOfBodies.multipart]: { schema: form },
    },
  };
}

function linesBody({ line, examples }: LinesContract, schemas: Schemas): JsonObject {
  const csv =
    'A header row with the names of the members, then one row for each object. A file with an unknown column is rejected.';
  return {
    required: true,
    content: {
      [uploadTypes.ndjson]: {
        schema: objectOf(line, 'One line. Unknown members are ignored.', schemas),
        example: examples.ndjson,
      },
      [uploadTypes.csv]: { schema: { type: 'string', description: csv }, example: examples.csv },
    },
  };
}

function objectOf(schema: z.ZodType, description: string, schemas: Schemas): JsonObject {
  const fields = shapeOf(schema);
  return {
    type: 'object',
    description,
    required: fields.filter(([, field]) => isRequired(field)).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemas.of(field, 'input')])),
  };
}
