import { networkOf } from '../../http/request/client-address';
import type { Authenticate, RequestContext } from '../../http/request/request-context';
import type { Clock } from '../../shared/clock';
import { CompanyFrozen, ServiceError } from '../../shared/errors';
import type { EnvironmentKind, Principal } from '../../shared/scopes';
import { malformation } from './credentials';
import type { KeyPairCache } from './key-pair-cache';
import { headerOf } from './identify';
import type { StoredKeyPair } from './key-pairs.store';
import { createThrottledVerification, type VerificationDependencies } from './throttled-verification';

export interface AuthenticateDependencies extends VerificationDependencies {
  keyPairs: VerificationDependencies['keyPairs'] & Pick<KeyPairCache, 'inMemory'>;
  /** The kinds of environment that this instance serves. */
  servedEnvironments: readonly EnvironmentKind[];
  clock: Clock;
  /** Records when a pair was used. */
  onUse: (apiKey: string, at: Date) => void;
}

/**
 * Verifies API-Key and API-Secret (specification 5.1). The pair alone selects company and
 * environment (5.2, 5.5).
 *
 * All well-formed but invalid credentials get the same response, which does not reveal whether a
 * key exists.
 */
export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { keyPairs, secrets, servedEnvironments, clock, onUse } = dependencies;
  const verify = createThrottledVerification(dependencies);

  async function find(
    { req, clientAddress }: RequestContext,
    apiKey: string,
    inMemory: StoredKeyPair | undefined,
  ): Promise<Principal> {
    const apiSecret = headerOf(req, 'api-secret');
    const known = inMemory && secrets.recall(inMemory, apiSecret);
    if (known) return known;
    const malformed = malformation(apiKey, apiSecret);
    if (malformed !== undefined) throw new ServiceError('credentials_malformed', { detail: malformed });
    // Failures are counted for this address.
    return verify(networkOf(clientAddress), apiKey, apiSecret, inMemory);
  }

  return async (context) => {
    const { req, identified } = context;
    const apiKey = headerOf(req, 'api-key');
    const inMemory = keyPairs.inMemory(apiKey);
    // The screen has verified the secret against this very entry of the cache.
    const isIdentified = identified !== undefined && identified.keyPair === inMemory;
    const principal = isIdentified ? identified.principal : await find(context, apiKey, inMemory);
    const { environmentKind, isFrozen } = principal;
    if (!servedEnvironments.includes(environmentKind)) {
      throw new ServiceError('environment_not_served', {
        detail: `This host does not serve the ${environmentKind} environment.`,
        headers: { Environment: environmentKind },
      });
    }
    onUse(apiKey, clock.now());
    if (isFrozen) throw new CompanyFrozen(environmentKind);
    return principal;
  };
}
