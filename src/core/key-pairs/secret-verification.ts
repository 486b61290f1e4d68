import { hash, randomBytes } from 'node:crypto';

import type { Principal } from '../../shared/scopes';
import { currentPepperVersion, type Peppers, secretMatches } from './credentials';
import type { StoredKeyPair } from './key-pairs.store';

export type SecretVerification = ReturnType<typeof createSecretVerification>;

/** CREDENTIAL_PEPPERS lacks the pepper of the pair, so nobody can say who sent a request. */
export const unverifiable = 'unverifiable';
export type Unverifiable = typeof unverifiable;

const digestOf = (apiSecret: string): string => hash('sha256', apiSecret);

/** Compares secrets with the stored HMACs. It computes the HMAC only once for each cached pair. */
export function createSecretVerification(peppers: Peppers) {
  // The SHA-256 of a verified secret, cached as long as its pair. Comparing it need not take
  // constant time: the time reveals at most the digest, from which nobody can derive the secret.
  const verified = new WeakMap<StoredKeyPair, string>();
  // For an unknown key, compare with a random HMAC, so that it takes the same time.
  const unknown = { secretHmac: randomBytes(32), pepperVersion: currentPepperVersion(peppers) };

  return {
    /**
     * Returns the sender if this secret was already verified against this cached pair. Costs a
     * third of `verify`.
     */
    recall: (keyPair: StoredKeyPair, apiSecret: string) =>
      verified.get(keyPair) === digestOf(apiSecret) ? keyPair.principal : undefined,
    /**
     * Returns the sender; undefined if the pair does not exist or the secret is wrong. Both cases
     * take the same time. Never throws, because admission calls it for every request.
     */
    verify: (keyPair: StoredKeyPair | undefined, apiSecret: string): Principal | Unverifiable | undefined => {
      const { secretHmac, pepperVersion } = keyPair ?? unknown;
      const matches = secretMatches(apiSecret, secretHmac, peppers, pepperVersion);
      if (matches === undefined) return unverifiable;
      if (!matches || !keyPair) return undefined;
      verified.set(keyPair, digestOf(apiSecret));
      return keyPair.principal;
    },
  };
}
