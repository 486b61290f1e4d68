import type { Request } from 'express';

import type { Authenticate } from '../../http/endpoint';
import type { Clock } from '../../shared/clock';
import { invalidCredentials, ServiceError } from '../../shared/errors';
import type { EnvironmentKind, Principal } from '../../shared/scopes';
import { malformation } from './credentials';
import type { FailedAuthentications } from './failed-authentications';
import type { KeyPairCache } from './key-pair-cache';
import { identifiedAs } from './identify';
import type { StoredKeyPair } from './key-pairs.store';
import type { SecretVerification } from './secret-verification';

export interface AuthenticateDependencies {
  keyPairs: Pick<
    KeyPairCache,
    'inMemory' | 'entryOfAnyAge' | 'find' | 'isKnown' | 'isBeingRead' | 'findAsUnknown'
  >;
  /** Resolves when the pairs that exist have been read once; rejects when they cannot be read. */
  whenKnownPairsAreRead: () => Promise<void>;
  failures: FailedAuthentications;
  /** What the failures of a client are counted by. */
  clientAddress: (req: Request) => string;
  secrets: SecretVerification;
  /** The kinds of environment that this instance serves. */
  servedEnvironments: readonly EnvironmentKind[];
  clock: Clock;
  /** Told which pair was used, and when. */
  onUse: (apiKey: string, at: Date) => void;
}

/**
 * Verifies API-Key and API-Secret (specification 5.1). The pair alone selects company and
 * environment (5.2, 5.5).
 *
 * Every well-formed failure is one and the same answer, so that nobody learns which keys exist.
 */
export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const {
    keyPairs,
    whenKnownPairsAreRead,
    failures,
    clientAddress,
    secrets,
    servedEnvironments,
    clock,
    onUse,
  } = dependencies;
  /**
   * A pair that is known is always checked, whatever was counted: somebody without the secret never
   * locks out somebody who has it. A wrong secret then costs what an unknown key costs, a count and
   * a look-up, so that the time tells hardly anything of the key.
   */
  async function verifyKnown(
    apiKey: string,
    apiSecret: string,
    inMemory: StoredKeyPair | undefined,
    countFailure: () => void,
  ): Promise<Principal> {
    // A pair never changes its secret, so an entry of any age recognizes a wrong one. A look-up
    // before the 429 would reveal the key.
    const entry = inMemory ?? keyPairs.entryOfAnyAge(apiKey);
    const isWrong = entry !== undefined && !secrets.verify(entry, apiSecret);
    if (!isWrong) {
      const principal = secrets.verify(inMemory ?? (await keyPairs.find(apiKey)), apiSecret);
      if (principal) return principal;
    }
    countFailure();
    if (isWrong) await keyPairs.findAsUnknown(apiKey);
    throw invalidCredentials();
  }

  /**
   * An unknown key is counted before it costs a look-up, and taken back when the caller was not to
   * blame.
   */
  async function verifyUnknown(
    apiKey: string,
    apiSecret: string,
    countFailure: () => void,
    takeBack: () => void,
  ): Promise<Principal> {
    countFailure();
    const found = await keyPairs.find(apiKey).catch((error: unknown) => {
      takeBack();
      throw error;
    });
    const principal = secrets.verify(found, apiSecret);
    if (!principal) throw invalidCredentials();
    takeBack();
    return principal;
  }

  /** @param inMemory the pair with this key, where it was in memory just now */
  async function verify(
    req: Request,
    apiKey: string,
    apiSecret: string,
    inMemory: StoredKeyPair | undefined,
  ): Promise<Principal> {
    const address = clientAddress(req);
    const countFailure = (): void => {
      const seconds = failures.count(address, apiKey);
      if (seconds !== undefined) throw throttled(seconds);
    };
    const takeBack = (): void => {
      failures.uncount(address, apiKey);
    };
    const isChecked = (): boolean => keyPairs.isKnown(apiKey) || keyPairs.isBeingRead(apiKey);
    // Right after a start every pair would be unknown.
    if (!isChecked()) await whenKnownPairsAreRead();
    return isChecked()
      ? verifyKnown(apiKey, apiSecret, inMemory, countFailure)
      : verifyUnknown(apiKey, apiSecret, countFailure, takeBack);
  }

  async function find(req: Request, apiKey: string): Promise<Principal> {
    const inMemory = keyPairs.inMemory(apiKey);
    const apiSecret = req.get('API-Secret') ?? '';
    const known = inMemory && (identifiedAs(req, inMemory) ?? secrets.recall(inMemory, apiSecret));
    if (known) return known;
    const malformed = malformation(apiKey, apiSecret);
    if (malformed !== undefined) throw new ServiceError('credentials_malformed', { detail: malformed });
    return verify(req, apiKey, apiSecret, inMemory);
  }

  return async (req) => {
    const apiKey = req.get('API-Key') ?? '';
    const principal = await find(req, apiKey);
    const { environmentKind } = principal;
    if (!servedEnvironments.includes(environmentKind)) {
      throw new ServiceError('environment_not_served', {
        detail: `This host does not serve the ${environmentKind} environment.`,
        headers: { Environment: environmentKind },
      });
    }
    onUse(apiKey, clock.now());
    return principal;
  };
}

function throttled(seconds: number): ServiceError {
  return new ServiceError('authentication_throttled', {
    detail:
      'Your address sent too many requests with invalid credentials. Wait Retry-After seconds, then retry with a valid pair.',
    headers: { 'Retry-After': String(seconds) },
  });
}
