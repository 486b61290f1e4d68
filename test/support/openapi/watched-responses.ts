import type { Server } from 'node:http';

import { tapResponses } from './tap-responses';
import { responseViolations } from './validate-response';

const violations: string[] = [];

/**
 * Checks every response of a server against the OpenAPI document. A mismatch fails the test
 * (`setup.ts`).
 */
export function watchResponses(server: Server): void {
  tapResponses(server, (request, response) => {
    violations.push(...responseViolations(request, response));
  });
}

/** Returns and clears the violations found so far. */
export function takeViolations(): string[] {
  return violations.splice(0);
}
