import { takeViolations } from './watched-responses';

/**
 * Runs in every test file: no test passes that got an answer which is not as the OpenAPI document
 * says.
 */
function expectDocumentedResponses(): void {
  const violations = takeViolations();
  if (violations.length === 0) return;
  throw new Error(`not as docs/openapi.json says:\n${[...new Set(violations)].join('\n')}`);
}

afterEach(expectDocumentedResponses);
afterAll(expectDocumentedResponses);
