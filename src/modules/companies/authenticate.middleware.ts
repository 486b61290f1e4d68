import { hash, randomBytes } from 'node:crypto';

import type { Request } from 'express';

import type { Authenticate } from '../../http/endpoint';
import type { Clock } from '../../shared/clock';
import { invalidCredentials, ServiceError } from '../../shared/errors';
import type { EnvironmentKind, Principal } from '../../shared/scopes';
import { currentPepperVersion, malformation, type Peppers, secretMatches } from './credentials';
import type { FailedAuthentications } from './failed-authentications';
import type { KeyPairCache } from './key-pair-cache';
import type { StoredKeyPair } from './key-pairs.store';

export interface AuthenticateDependencies {
  keyPairs: Pick<KeyPairCache, 'inMemory' | 'find' | 'isKnown'>;
  failures: FailedAuthentications;
  /** What the failures of a client are counted by. */
  clientAddress: (req: Request) => string;
  peppers: Peppers;
  /** The kinds of environment that this instance serves. */
  servedEnvironments: readonly EnvironmentKind[];
  clock: Clock;
  /** Told which pair was used, and when. */
  onUse: (apiKey: string, at: Date) => void;
}

/**
 * What is known of a pair whose secret matched, for as long as it is in memory as it was read: the secret's SHA-256, which costs a
 * third of the HMAC to compare. How long a comparison takes may tell something of a digest, and nothing of the secret: nobody finds
 * a text for a digest.
 */
interface Verified {
  readonly digest: string;
  readonly principal: Principal;
}

/**
 * Verifies API-Key and API-Secret (specification 5.1). The pair alone selects company and environment (5.2, 5.5).
 *
 * Every well-formed failure is one and the same answer, so that nobody learns which keys exist.
 */
export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { keyPairs, failures, clientAddress, peppers, servedEnvironments, clock, onUse } = dependencies;
  const dummyHmac = randomBytes(32);
  const verified = new WeakMap<StoredKeyPair, Verified>();

  /** An unknown key costs a comparison too, so that the time tells nothing: only whoever has the secret is answered sooner. */
  function matches(keyPair: StoredKeyPair | undefined, apiSecret: string): boolean {
    const { secretHmac, pepperVersion } = keyPair ?? {
      secretHmac: dummyHmac,
      pepperVersion: currentPepperVersion(peppers),
    };
    return secretMatches(apiSecret, secretHmac, peppers, pepperVersion);
  }

  /** @param inMemory the pair with this key, where it was in memory just now */
  async function verify(
    req: Request,
    apiKey: string,
    apiSecret: string,
    inMemory: StoredKeyPair | undefined,
  ): Promise<StoredKeyPair> {
    const address = clientAddress(req);
    const countFailure = (): void => {
      const seconds = failures.count(address, apiKey);
      if (seconds !== undefined) throw throttled(seconds);
    };
    // A key that is not known costs a look-up, so it is counted before, and taken back when it was no failure of the caller's.
    // One that is known always gets its answer: whoever has the secret is never locked out by somebody who has not.
    const isKnown = keyPairs.isKnown(apiKey);
    if (!isKnown) countFailure();
    const takeBack = (): void => {
      if (!isKnown) failures.uncount(address, apiKey);
    };
    const keyPair =
      inMemory ??
      (await keyPairs.find(apiKey).catch((error: unknown) => {
        takeBack();
        throw error;
      }));
    if (!matches(keyPair, apiSecret) || !keyPair) {
      if (isKnown) countFailure();
      throw invalidCredentials();
    }
    takeBack();
    if (!servedEnvironments.includes(keyPair.environmentKind)) {
      throw new ServiceError('environment_not_served', {
        detail: `This address does not serve the ${keyPair.environmentKind} environment.`,
        headers: { Environment: keyPair.environmentKind },
      });
    }
    return keyPair;
  }

  return async (req) => {
    const apiKey = req.get('API-Key') ?? '';
    const apiSecret = req.get('API-Secret') ?? '';
    const digest = hash('sha256', apiSecret);
    const inMemory = keyPairs.inMemory(apiKey);
    const before = inMemory && verified.get(inMemory);
    if (before?.digest === digest) {
      onUse(apiKey, clock.now());
      return before.principal;
    }
    const malformed = malformation(apiKey, apiSecret);
    if (malformed !== undefined) throw new ServiceError('credentials_malformed', { detail: malformed });
    const keyPair = await verify(req, apiKey, apiSecret, inMemory);
    const { environmentId, environmentKind, transactionTag, scopes, rateLimits } = keyPair;
    const principal = { apiKey, environmentId, environmentKind, transactionTag, scopes, rateLimits };
    verified.set(keyPair, { digest, principal });
    onUse(apiKey, clock.now());
    return principal;
  };
}

function throttled(seconds: number): ServiceError {
  return new ServiceError('authentication_throttled', {
    detail:
      'Too many requests with credentials that are not valid came from your address. Correct the pair; ' +
      'send again after the time in Retry-After.',
    headers: { 'Retry-After': String(seconds) },
  });
}
