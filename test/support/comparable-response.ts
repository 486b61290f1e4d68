import type { Response } from 'supertest';

/**
 * Headers that differ between any two answers: when, which request, and how much of its share the
 * caller has left.
 */
const differing = new Set(['date', 'x-request-id', 'ratelimit']);

/** An answer without what differs between any two requests, to be compared byte for byte. */
export function comparableResponse(response: Response): unknown {
  const requestId = response.get('X-Request-Id') ?? '';
  const headers = Object.entries(response.headers as Record<string, string>).filter(
    ([name]) => !differing.has(name),
  );
  return { status: response.status, headers, text: response.text.replace(requestId, '') };
}
