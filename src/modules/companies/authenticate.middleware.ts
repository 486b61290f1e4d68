import { randomBytes } from 'node:crypto';

import type { Authenticate } from '../../http/endpoint';
import type { Clock } from '../../shared/clock';
import { invalidCredentials, ServiceError } from '../../shared/errors';
import type { EnvironmentKind } from '../../shared/scopes';
import { currentPepperVersion, malformation, type Peppers, secretMatches } from './credentials';
import type { KeyPairCache } from './key-pair-cache';

export interface AuthenticateDependencies {
  keyPairs: Pick<KeyPairCache, 'find'>;
  peppers: Peppers;
  /** The kinds of environment that this instance serves. */
  servedEnvironments: readonly EnvironmentKind[];
  clock: Clock;
  /** Told which pair was used, and when. */
  onUse: (apiKey: string, at: Date) => void;
}

/**
 * Verifies API-Key and API-Secret (specification 5.1). The pair alone selects company and environment (5.2, 5.5).
 *
 * Every well-formed failure is one and the same answer, so that nobody learns which keys exist.
 */
export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { keyPairs, peppers, servedEnvironments, clock, onUse } = dependencies;
  const dummyHmac = randomBytes(32);

  return async (req) => {
    const apiKey = req.get('API-Key');
    const apiSecret = req.get('API-Secret');
    const malformed = malformation(apiKey, apiSecret);
    if (malformed !== undefined || apiKey === undefined || apiSecret === undefined) {
      throw new ServiceError('credentials_malformed', { detail: malformed ?? '' });
    }
    const keyPair = await keyPairs.find(apiKey);
    // An unknown key costs a comparison too, so that the time tells nothing.
    const matches = secretMatches(
      apiSecret,
      keyPair?.secretHmac ?? dummyHmac,
      peppers,
      keyPair?.pepperVersion ?? currentPepperVersion(peppers),
    );
    if (!keyPair || !matches) throw invalidCredentials();
    if (!servedEnvironments.includes(keyPair.environmentKind)) {
      throw new ServiceError('environment_not_served', {
        detail: `This address does not serve the ${keyPair.environmentKind} environment.`,
        headers: { Environment: keyPair.environmentKind },
      });
    }
    onUse(apiKey, clock.now());
    const { environmentId, environmentKind, transactionTag, scopes } = keyPair;
    return { apiKey, environmentId, environmentKind, transactionTag, scopes };
  };
}
