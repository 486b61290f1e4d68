import { errorSubjects, inputErrorCodes } from '../../shared/errors';
import { codesOf, type ErrorCatalog } from '../errors/error-catalog';
import { maximumErrors } from '../errors/problem';
import { type JsonObject, mapValues } from './json';

/** The schema of `Problem` in `http/errors/problem`. */
export const problemSchema = (catalog: ErrorCatalog): JsonObject => ({
  type: 'object',
  description:
    'RFC 9457 problem details. Branch on `code`. `title` and `detail` are for people, and their wording may change.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Link to the documentation of this code',
    },
    title: { type: 'string' },
    status: { type: 'integer', description: 'HTTP status of the response' },
    detail: { type: 'string', description: 'What happened and what to do' },
    code: {
      type: 'string',
      enum: codesOf(catalog),
      'x-open-enum': true,
      description:
        'The list is complete for this version. Later versions may add codes: handle an unknown code by its HTTP status.',
    },
    request_id: { type: 'string', description: 'Equals the header `X-Request-Id`' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
    ...mapValues(errorSubjects, (description) => ({ type: 'string', description })),
    errors: {
      type: 'array',
      description: `The problems of the request. If there are more than ${maximumErrors}, the first ${maximumErrors}`,
      items: {
        type: 'object',
        description: 'One problem, with exactly one of `pointer`, `parameter` and `header` as its location.',
        required: ['code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) into the body' },
          parameter: { type: 'string', description: 'Name of a path or query parameter' },
          header: { type: 'string', description: 'Name of a header' },
          code: { type: 'string', enum: [...inputErrorCodes], 'x-open-enum': true },
          detail: { type: 'string' },
        },
      },
    },
  },
});
