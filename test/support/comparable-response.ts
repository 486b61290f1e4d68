import type { Response } from 'supertest';

/** Headers that differ between any two responses: the time, the request id and the rate limit. */
const differing = new Set(['date', 'x-request-id', 'ratelimit']);

/** A response without the parts that differ per request, for comparison byte for byte. */
export function comparableResponse(response: Response): unknown {
  const requestId = response.get('X-Request-Id') ?? '';
  const headers = Object.entries(response.headers as Record<string, string>).filter(
    ([name]) => !differing.has(name),
  );
  return { status: response.status, headers, text: response.text.replace(requestId, '') };
}
