import { takeViolations } from './violations';

/**
 * Runs after each test of every file: fails it if a response did not match the OpenAPI document.
 */
function expectDocumentedResponses(): void {
  const violations = takeViolations();
  if (violations.length === 0) return;
  throw new Error(`not as docs/openapi.json says:\n${[...new Set(violations)].join('\n')}`);
}

afterEach(expectDocumentedResponses);
afterAll(expectDocumentedResponses);
