import { defaultDetail } from '../../http/errors/error-catalog';
import { invalidCredentials, ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import type { FailedAuthentications } from './failed-authentications';
import type { KeyPairCache } from './key-pair-cache';
import type { StoredKeyPair } from './key-pairs.store';
import { type SecretVerification, unverifiable } from './secret-verification';

export interface VerificationDependencies {
  keyPairs: Pick<KeyPairCache, 'entryOfAnyAge' | 'find' | 'isKnown' | 'isBeingRead' | 'findAsUnknown'>;
  /** Resolves after the first read of all live pairs; rejects if that read fails. */
  whenKnownPairsAreRead: () => Promise<void>;
  failures: FailedAuthentications;
  secrets: SecretVerification;
}

/**
 * Verifies credentials that were not verified before, and throttles clients that send invalid ones.
 */
export function createThrottledVerification(dependencies: VerificationDependencies) {
  const { keyPairs, whenKnownPairsAreRead, failures, secrets } = dependencies;

  function countFailure(clientAddress: string, apiKey: string): void {
    const seconds = failures.count(clientAddress, apiKey);
    if (seconds !== undefined) throw throttled(seconds);
  }

  /** @throws ServiceError credentials_unverifiable */
  function check(keyPair: StoredKeyPair | undefined, apiSecret: string): Principal | undefined {
    const result = secrets.verify(keyPair, apiSecret);
    if (result === unverifiable) throw unverifiableCredentials();
    return result;
  }

  /**
   * Checks a known pair even if its client is throttled, so that strangers cannot lock out its
   * owner. A wrong secret costs a count and a lookup, like an unknown key. The response time
   * therefore hardly reveals whether the key exists.
   */
  async function verifyKnown(
    clientAddress: string,
    apiKey: string,
    apiSecret: string,
    inMemory: StoredKeyPair | undefined,
  ): Promise<Principal> {
    // The secret of a pair never changes, so an entry of any age detects a wrong secret. A lookup
    // before the 429 would reveal that the key exists.
    const entry = inMemory ?? keyPairs.entryOfAnyAge(apiKey);
    const isWrong = entry !== undefined && !check(entry, apiSecret);
    if (!isWrong) {
      const principal = check(inMemory ?? (await keyPairs.find(apiKey)), apiSecret);
      if (principal) return principal;
    }
    countFailure(clientAddress, apiKey);
    if (isWrong) await keyPairs.findAsUnknown(apiKey);
    throw invalidCredentials();
  }

  /**
   * Counts an unknown key as a failure before the lookup. Undoes this if the pair is valid or the
   * database fails.
   */
  async function verifyUnknown(clientAddress: string, apiKey: string, apiSecret: string): Promise<Principal> {
    countFailure(clientAddress, apiKey);
    const found = await keyPairs.find(apiKey).catch((error: unknown) => {
      failures.uncount(clientAddress, apiKey);
      throw error;
    });
    const principal = secrets.verify(found, apiSecret);
    if (!principal) throw invalidCredentials();
    failures.uncount(clientAddress, apiKey);
    if (principal === unverifiable) throw unverifiableCredentials();
    return principal;
  }

  const isExpected = (apiKey: string): boolean => keyPairs.isKnown(apiKey) || keyPairs.isBeingRead(apiKey);

  /**
   * Verifies well-formed credentials from a client address.
   *
   * @param inMemory the live pair with this key, if the cache had it
   * @throws ServiceError credentials_invalid, credentials_unverifiable, authentication_throttled
   */
  return async (
    clientAddress: string,
    apiKey: string,
    apiSecret: string,
    inMemory: StoredKeyPair | undefined,
  ) => {
    // Immediately after startup no pair is known yet.
    if (!isExpected(apiKey)) await whenKnownPairsAreRead();
    return isExpected(apiKey)
      ? verifyKnown(clientAddress, apiKey, apiSecret, inMemory)
      : verifyUnknown(clientAddress, apiKey, apiSecret);
  };
}

const unverifiableCredentials = (): ServiceError =>
  new ServiceError('credentials_unverifiable', { detail: defaultDetail('credentials_unverifiable') });

function throttled(seconds: number): ServiceError {
  return new ServiceError('authentication_throttled', {
    detail:
      'Your address sent too many requests with invalid credentials. Wait Retry-After seconds, then retry with a valid pair.',
    headers: { 'Retry-After': String(seconds) },
  });
}
