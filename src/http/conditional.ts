import { z } from 'zod';

/** What the contract of a read says whose answer the client may keep and ask about again. */
export const conditional = {
  /** Any text is accepted: what is no ETag matches none. */
  requestHeaders: {
    'if-none-match': z
      .unknown()
      .optional()
      .meta({
        type: 'string',
        description: 'The ETag of an answer that the client has kept: 304 when it is still the same',
        examples: ['"mCoZ3zVO9X9Yb1rNqkq5rA"'],
      }),
  },
  answerHeaders: {
    ETag: 'Without user_hash: strong, one for each content encoding, for If-None-Match',
  },
  notModified: {
    description: 'Without user_hash: what the client has kept is still the answer.',
    headers: { ETag: 'The one that the client has.' },
  },
} as const;
