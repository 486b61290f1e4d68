import type { Server } from 'node:http';

import { tapResponses } from './tap-responses';
import { responseViolations } from './validate-response';
import { addViolations } from './violations';

/**
 * Checks every response of a server against the OpenAPI document. A mismatch fails the test
 * (`setup.ts`).
 */
export function watchResponses(server: Server): void {
  tapResponses(server, (request, response) => {
    addViolations(responseViolations(request, response));
  });
}
