import { hash, randomBytes } from 'node:crypto';

import type { Principal } from '../../shared/scopes';
import { currentPepperVersion, type Peppers, secretMatches } from './credentials';
import type { StoredKeyPair } from './key-pairs.store';

export interface SecretVerification {
  /**
   * Who sends this secret, where it was verified before against the same reading of the pair. A
   * third of the cost of `verify`.
   */
  recall: (keyPair: StoredKeyPair, apiSecret: string) => Principal | undefined;
  /**
   * Who sends this secret; undefined when the pair does not exist or the secret is not its own,
   * after the same time.
   */
  verify: (keyPair: StoredKeyPair | undefined, apiSecret: string) => Principal | undefined;
}

/**
 * Secrets are remembered by their SHA-256 for as long as their pair is in memory as it was read.
 * How long a comparison takes may tell something of a digest, and nothing of the secret: nobody
 * finds a text for a digest.
 */
interface Verified {
  readonly digest: string;
  readonly principal: Principal;
}

const digestOf = (apiSecret: string): string => hash('sha256', apiSecret);

/** Compares secrets with the stored HMACs, once for each reading of a pair. */
export function createSecretVerification(peppers: Peppers): SecretVerification {
  const verified = new WeakMap<StoredKeyPair, Verified>();
  // An unknown key costs a comparison too.
  const unknown = { secretHmac: randomBytes(32), pepperVersion: currentPepperVersion(peppers) };

  return {
    recall(keyPair, apiSecret) {
      const before = verified.get(keyPair);
      return before?.digest === digestOf(apiSecret) ? before.principal : undefined;
    },
    verify(keyPair, apiSecret) {
      const { secretHmac, pepperVersion } = keyPair ?? unknown;
      if (!secretMatches(apiSecret, secretHmac, peppers, pepperVersion) || !keyPair) return undefined;
      const { apiKey, environmentId, environmentKind, transactionTag, scopes, rateLimits } = keyPair;
      const principal = { apiKey, environmentId, environmentKind, transactionTag, scopes, rateLimits };
      verified.set(keyPair, { digest: digestOf(apiSecret), principal });
      return principal;
    },
  };
}
