import type { Server } from 'node:http';

import { tapAnswers } from './tap-answers';
import { answerViolations } from './validate-answer';

const violations: string[] = [];

/**
 * Holds every answer of a server against the OpenAPI document. A test that got another one fails
 * (`setup.ts`).
 */
export function watchAnswers(server: Server): void {
  tapAnswers(server, (request, answer) => {
    violations.push(...answerViolations(request, answer));
  });
}

/** What was found since the last time. */
export function takeViolations(): string[] {
  return violations.splice(0);
}
