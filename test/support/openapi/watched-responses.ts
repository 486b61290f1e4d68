import type { Server } from 'node:http';

import { tapResponses } from './tap-responses';
import { responseViolations } from './validate-response';

const violations: string[] = [];

/**
 * Holds every answer of a server against the OpenAPI document. A test that got another one fails
 * (`setup.ts`).
 */
export function watchResponses(server: Server): void {
  tapResponses(server, (request, response) => {
    violations.push(...responseViolations(request, response));
  });
}

/** What was found since the last time. */
export function takeViolations(): string[] {
  return violations.splice(0);
}
