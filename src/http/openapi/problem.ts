import { errorCodes, inputErrorCodes } from '../../shared/errors';
import type { JsonObject } from './json';

/** RFC 9457 problem details, as `http/problem` makes them. */
export const problemSchema: JsonObject = {
  type: 'object',
  description:
    'RFC 9457 problem details. Decide by `code`; `title` and `detail` are for people and may change.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Link to the entry of this code in the error catalogue',
    },
    title: { type: 'string' },
    status: { type: 'integer', description: 'The same as the status of the answer' },
    detail: { type: 'string', description: 'What happened and what to do' },
    code: {
      type: 'string',
      enum: [...errorCodes],
      'x-open-enum': true,
      description: 'Open: codes may be added. Treat one that you do not know by the status of the answer.',
    },
    request_id: { type: 'string', description: 'The same as X-Request-Id' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
    errors: {
      type: 'array',
      description: 'Everything that is wrong with the request',
      items: {
        type: 'object',
        description: 'One thing that is wrong, and its place: exactly one of pointer, parameter and header.',
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
};
