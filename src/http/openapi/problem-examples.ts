import type { ErrorCode, ErrorSubject, InputError } from '../../shared/errors';
import { codesOf, detailOf, type ErrorCatalog } from '../errors/error-catalog';
import { problem } from '../errors/problem';
import type { JsonObject } from './json';

/** The base URL in examples. */
const exampleBaseUrl = 'https://api.example.org';

const requestId = '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11';

/** Codes whose responses have further members, with an example of each. */
const withMembers: Partial<
  Record<ErrorCode, { detail: string; errors?: readonly InputError[]; subject?: ErrorSubject }>
> = {
  invalid_request: {
    detail: 'The request has 2 problems. See errors.',
    errors: [
      { code: 'required', detail: 'This field is required.', pointer: '/user_hash' },
      { code: 'out_of_range', detail: 'Send an integer from 1 to 1000.', parameter: 'limit' },
    ],
  },
  project_not_found: {
    detail: 'The project_id in the body does not exist.',
    errors: [{ code: 'not_found', detail: 'No project has this id.', pointer: '/project_id' }],
  },
  idempotency_key_reused: {
    detail:
      'The Idempotency-Key "order-7001" created K7Q20CR5M3V9XHG with another project, amount or user. Use a new key for a new contribution.',
    subject: { idempotency_key: 'order-7001', transaction_id: 'K7Q20CR5M3V9XHG' },
  },
};

function exampleOf(code: ErrorCode, catalog: ErrorCatalog): JsonObject {
  const entry = catalog[code];
  const detail = detailOf(entry);
  const about = withMembers[code] ?? { detail };
  return {
    summary: entry.title,
    description: detail,
    value: problem(exampleBaseUrl, code, entry, { ...about, requestId }),
  };
}

/** One example for each error code, by code. */
export function problemExamples(catalog: ErrorCatalog): JsonObject {
  return Object.fromEntries(codesOf(catalog).map((code) => [code, exampleOf(code, catalog)]));
}
