import { z } from 'zod';

/**
 * The parts of a contract that make a read cacheable, with conditional requests.
 *
 * @param parameter the query parameter that makes the response personal, and so not cacheable
 */
export const cacheableWithout = (parameter: string) =>
  ({
    cachedWithout: parameter,
    /** Any text is accepted: an invalid ETag matches nothing. */
    requestHeaders: {
      'if-none-match': z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          description:
            'The `ETag` of a cached response. If it is still current, the response is 304 without a body',
          examples: ['"mCoZ3zVO9X9Yb1rNqkq5rA"'],
        }),
    },
    responseHeaders: {
      ETag: `Strong validator for \`If-None-Match\`, one per content encoding. Sent only if the request has no \`${parameter}\`.`,
    },
    notModified: {
      description: `The cached response is still current. Sent only if the request has no \`${parameter}\`.`,
      headers: { ETag: 'The `ETag` of the cached response.' },
    },
  }) as const;
