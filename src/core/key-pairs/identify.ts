import type { IncomingMessage } from 'node:http';

import type { Identify } from '../../http/server/admission/screen';
import type { Principal } from '../../shared/scopes';
import { malformation } from './credentials';
import type { KeyPairCache } from './key-pair-cache';
import type { StoredKeyPair } from './key-pairs.store';
import { type SecretVerification, unverifiable } from './secret-verification';

const identifiedKey = Symbol('identified');
interface Identified {
  readonly keyPair: StoredKeyPair;
  readonly principal: Principal;
}
type WithIdentified = IncomingMessage & { [identifiedKey]?: Identified };

/** The sender of a request, if admission verified its secret against this cached pair. */
export function identifiedAs(req: WithIdentified, keyPair: StoredKeyPair): Principal | undefined {
  const identified = req[identifiedKey];
  return identified?.keyPair === keyPair ? identified.principal : undefined;
}

/** Empty if the request lacks the header. */
export const headerOf = ({ headers }: IncomingMessage, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/**
 * Identifies the sender of a request from the cache alone, for admission. It runs no statement and
 * grants no access: it may recognize a pair that was just revoked, which the endpoint then rejects.
 */
export function createIdentify(
  keyPairs: Pick<KeyPairCache, 'entryOfAnyAge'>,
  { recall, verify }: SecretVerification,
): Identify {
  return (req: WithIdentified) => {
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
    req[identifiedKey] = { keyPair, principal };
    return { kind: 'verified', principal };
  };
}
