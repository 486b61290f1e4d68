import type { IncomingMessage } from 'node:http';

import type { Identity } from '../../http/request-steps';
import { malformation } from './credentials';
import type { KeyPairCache } from './key-pair-cache';
import { type SecretVerification, unverifiable } from './secret-verification';

/** Empty if the request lacks the header. */
export const headerOf = ({ headers }: IncomingMessage, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/**
 * Identifies the sender of a request from the cache alone, for admission. It runs no query and
 * grants no access: it may recognize a pair that was just revoked, which the endpoint then rejects.
 */
export function createIdentify(
  keyPairs: Pick<KeyPairCache, 'entryOfAnyAge'>,
  { recall, verify }: SecretVerification,
): (req: IncomingMessage) => Identity {
  return (req) => {
    const apiKey = headerOf(req, 'api-key');
    const apiSecret = headerOf(req, 'api-secret');
    const keyPair = keyPairs.entryOfAnyAge(apiKey);
    let principal: ReturnType<typeof verify> = keyPair && recall(keyPair, apiSecret);
    if (!principal) {
      const malformed = malformation(apiKey, apiSecret);
      if (malformed !== undefined) return { kind: 'malformed', detail: malformed };
      principal = verify(keyPair, apiSecret);
    }
    if (!keyPair || !principal || principal === unverifiable) return { kind: 'unverified' };
    return { kind: 'verified', keyPair, principal };
  };
}
