import { type ErrorCode, errorCodes, type InputError } from '../../shared/errors';
import { errorCatalog } from '../error-catalog';
import { problem } from '../problem';
import type { JsonObject } from './json';

/** Where the examples pretend that the service is. */
export const exampleBaseUrl = 'https://api.example.org';

const requestId = '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11';

/** Codes whose answers name what is wrong, each with an example of it. */
const namedErrors: Partial<Record<ErrorCode, { detail: string; errors: readonly InputError[] }>> = {
  invalid_request: {
    detail: '2 things are wrong with the request: see errors.',
    errors: [
      { code: 'required', detail: 'This field is required.', pointer: '/user_hash' },
      { code: 'out_of_range', detail: 'Send an integer from 1 to 1000.', parameter: 'limit' },
    ],
  },
  project_not_found: {
    detail: 'The project_id in the body names no project.',
    errors: [{ code: 'not_found', detail: 'There is no project with this id.', pointer: '/project_id' }],
  },
};

function exampleOf(code: ErrorCode): JsonObject {
  const { title, meaning } = errorCatalog[code];
  const about = namedErrors[code] ?? { detail: meaning };
  return {
    summary: title,
    description: meaning,
    value: problem(exampleBaseUrl, code, { ...about, requestId }),
  };
}

/** One example for each error code, by code. */
export function problemExamples(): JsonObject {
  return Object.fromEntries(errorCodes.map((code) => [code, exampleOf(code)]));
}
