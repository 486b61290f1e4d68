import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../shared/clock';
import { CompanyFrozen, ServiceError } from '../../shared/errors';
import type { EnvironmentKind, Principal } from '../../shared/scopes';
import { malformation } from './credentials';
import type { KeyPairCache } from './key-pair-cache';
import { headerOf, identifiedAs } from './identify';
import { createThrottledVerification, type VerificationDependencies } from './throttled-verification';

export interface AuthenticateDependencies extends VerificationDependencies {
  keyPairs: VerificationDependencies['keyPairs'] & Pick<KeyPairCache, 'inMemory'>;
  /** The address that failed authentications are counted for. */
  clientAddress: (req: IncomingMessage) => string;
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
export function createAuthenticate(
  dependencies: AuthenticateDependencies,
): (req: IncomingMessage) => Promise<Principal> {
  const { keyPairs, secrets, clientAddress, servedEnvironments, clock, onUse } = dependencies;
  const verify = createThrottledVerification(dependencies);

  async function find(req: IncomingMessage, apiKey: string): Promise<Principal> {
    const inMemory = keyPairs.inMemory(apiKey);
    const apiSecret = headerOf(req, 'api-secret');
    const known = inMemory && (identifiedAs(req, inMemory) ?? secrets.recall(inMemory, apiSecret));
    if (known) return known;
    const malformed = malformation(apiKey, apiSecret);
    if (malformed !== undefined) throw new ServiceError('credentials_malformed', { detail: malformed });
    return verify(clientAddress(req), apiKey, apiSecret, inMemory);
  }

  return async (req) => {
    const apiKey = headerOf(req, 'api-key');
    const principal = await find(req, apiKey);
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
