import type { Response } from 'supertest';

/**
 * Headers that differ between any two answers: when, which request, and how much of its share the
 * caller has left.
 */
const differing = new Set(['date', 'x-request-id', 'ratelimit']);

/** An answer without what differs between any two requests, to be compared byte for byte. */
export function comparableResponse(answer: Response): unknown {
  const requestId = answer.get('X-Request-Id') ?? '';
  const headers = Object.entries(answer.headers as Record<string, string>).filter(
    ([name]) => !differing.has(name),
  );
  return { status: answer.status, headers, text: answer.text.replace(requestId, '') };
}
